// viser handles its messages in the loop that draws the scene, so that a browser without WebGL would
// show nothing at all. Such a browser gets a context that draws nothing: verdict, steps and STOP work.
(() => {
  const own = HTMLCanvasElement.prototype.getContext;
  if (document.createElement("canvas").getContext("webgl2")) return;
  const constants = window.WebGL2RenderingContext ?? {};
  const answers = {
    getContextAttributes: () => ({ alpha: true }),
    getSupportedExtensions: () => [],
    getExtension: () => null,
    getShaderPrecisionFormat: () => ({ precision: 23, rangeMin: 127, rangeMax: 127 }),
    getParameter: (what) =>
      ({
        [constants.VERSION ?? 0x1f02]: "WebGL 2.0",
        [constants.VIEWPORT ?? 0x0ba2]: [0, 0, 1, 1],
        [constants.SCISSOR_BOX ?? 0x0c10]: [0, 0, 1, 1],
      })[what] ?? 4096,
    getProgramParameter: () => 0, // no uniforms, no attributes
    getShaderParameter: () => true,
    getProgramInfoLog: () => "",
    getShaderInfoLog: () => "",
    checkFramebufferStatus: () => constants.FRAMEBUFFER_COMPLETE ?? 0x8cd5,
    isContextLost: () => false,
    getError: () => 0,
  };
  const contexts = new WeakMap();
  const context = (canvas) =>
    new Proxy(
      { canvas, drawingBufferWidth: 1, drawingBufferHeight: 1, drawingBufferColorSpace: "srgb" },
      {
        get: (kept, name) =>
          kept[name] ?? answers[name] ?? constants[name] ?? (/^[A-Z]/.test(name) ? 0 : () => ({})),
      },
    );
  HTMLCanvasElement.prototype.getContext = function (kind, ...options) {
    if (!/^webgl2?$/.test(kind)) return own.call(this, kind, ...options);
    if (!contexts.has(this)) contexts.set(this, context(this));
    return contexts.get(this);
  };
  addEventListener("DOMContentLoaded", () => {
    const said = document.createElement("p");
    said.textContent =
      "No picture of the arm: this browser has no WebGL (hardware acceleration is off, perhaps). " +
      "All else on this page works.";
    said.style.cssText = // between the panels
      "position:fixed;z-index:1;left:430px;right:380px;top:40%;padding:0 1em;font-family:sans-serif";
    document.body.prepend(said);
  });
})();
