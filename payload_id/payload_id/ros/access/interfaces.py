"""The topics, services and actions of every node, and who may use them: one table.

Policies and the page Interfaces are made from it. `{name}` in a name stands for an entry of
`NAMES`, which a robot file, a parameter or a remapping may replace.
`payload_apply` is the node of the command `load send`, while that runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath

NAMES: Mapping[str, str] = {
    "joint_states": "joint_states",
    "joint_trajectory": "joint_trajectory_controller/joint_trajectory",
    "controller": "joint_trajectory_controller",
    "wrench": "wrench",
    "sampler": "payload_sampler",
    "estimator": "payload_estimator",
    "planner": "payload_planner",
    "bridge": "payload_bridge",
    "controller_manager": "controller_manager",
    "driver_topics": "",
    "payload_service": "",
    "payload_state": "",
    "arm": "simulated_arm",
    "enable": "enable",
    "speed_scaling": "",
    "team_topics": "",
    "team_shares": "",
    "set_point_topics": "",
}


# Entries that may be several names with spaces between them.
SEVERAL = ("driver_topics", "team_topics", "team_shares", "set_point_topics")
# By which the back end team_topics moves an Omnid, in the robot's namespace.
SET_POINTS = ("delta/desired_position", "delta/additional_force", "cmd_vel")


def set_point_topics(robot: str) -> str:
    """Return the topics by which a robot in a namespace is moved, with spaces between them."""
    return " ".join(f"{robot.rstrip('/')}/{name}" for name in SET_POINTS)


def action_beside(topic: str) -> str:
    """Return the action of the controller whose topic is known."""
    return str(PurePosixPath(topic).with_name("follow_joint_trajectory"))


def state_beside(topic: str) -> str:
    """Return the topic of its state of the controller whose topic or action is known."""
    return str(PurePosixPath(topic).with_name("controller_state"))


class Way(Enum):
    """What a node does with an interface."""

    OUT = "out"  # publishes the topic
    IN = "in"  # subscribes to it
    SERVICE = "service"  # answers it
    ACTION = "action"  # executes it
    CALL = "call"  # calls the service
    GOAL = "goal"  # sends goals to the action


class Role(Enum):
    """What a client may do: each of them all that those before it may, too."""

    READER = "reader"  # sees what there is
    OPERATOR = "operator"  # runs the identification, and stops the arm
    MOVER = "mover"  # has motions planned and executed


@dataclass(frozen=True)
class Interface:
    """One topic, service or action of a node.

    Attributes:
        name: As the node calls it; a name without a value in `NAMES` is left out.
        type: Of its messages.
        way: What the node does with it.
        quality: Quality of service of a topic.
        role: The least that may use it from outside; None: nodes of this package or the robot's.
        about: What else the page says of it.
        shown: Name for the page, where it says more than `name`.
    """

    name: str
    type: str
    way: Way
    quality: str = ""
    role: Role | None = None
    about: str = ""
    shown: str = ""


OUT, IN = Way.OUT, Way.IN
READER, OPERATOR, MOVER = Role.READER, Role.OPERATOR, Role.MOVER
LATCHED, BLOCKS, LAST = (
    "reliable, transient local, depth 1",
    "reliable, volatile, depth 2000",
    "reliable, volatile, depth 10",
)
# What the system's defaults are with Fast DDS, the usual middleware.
SYSTEM_OUT = "the system's default: reliable, transient local, depth 1"
SYSTEM_IN = "the system's default: best effort, volatile, depth 1"
STATE = "payload_id_msgs/BridgeState"
CONTROLLER_STATE = "control_msgs/JointTrajectoryControllerState"
STATES, TRAJECTORY = "sensor_msgs/JointState", "trajectory_msgs/JointTrajectory"
MARKERS, FRAMES = "visualization_msgs/MarkerArray", "tf2_msgs/TFMessage"
STATUS, TEXT, TRIGGER = "diagnostic_msgs/DiagnosticStatus", "std_msgs/String", "std_srvs/Trigger"
ESTIMATE, PLAN = "payload_id_msgs/PayloadEstimate", "payload_id_msgs/PlanDescription"
RUN_CALLS = {  # of an estimator, for a run of ~/identify
    "begin": "payload_id_msgs/BeginRun",
    **dict.fromkeys(("hold_out", "tare", "stop"), TRIGGER),
    "get_estimate": "payload_id_msgs/GetEstimate",
    "validate": "payload_id_msgs/Validate",
    "save": "payload_id_msgs/Save",
}
RECORDED = "where it records"


def _services(type_name: str, role: Role, *names: str) -> tuple[Interface, ...]:
    """Return services of one type for one role."""
    return tuple(Interface(f"~/{x}", type_name, Way.SERVICE, role=role) for x in names)


def _parameters(setting: Role | None) -> tuple[Interface, ...]:
    """Return what rclpy gives to a node, with the role that may set its parameters."""
    rcl, look = "rcl_interfaces", ("describe_parameters", "get_parameter_types", "get_parameters")
    return (
        Interface("/rosout", f"{rcl}/Log", OUT, role=READER),
        Interface("/parameter_events", f"{rcl}/ParameterEvent", OUT, role=READER),
        Interface("/clock", "rosgraph_msgs/Clock", IN),
        *_services(rcl, READER, *look, "list_parameters", "get_type_description"),
        *(
            Interface(f"~/{x}", rcl, Way.SERVICE, role=setting)
            for x in ("set_parameters", "set_parameters_atomically")
        ),
    )


CONDITION = (
    Interface(
        "/diagnostics", "diagnostic_msgs/DiagnosticArray", OUT, LAST, READER, "once a second"
    ),
    Interface("~/condition", STATUS, OUT, LATCHED, READER, "the same for this node"),
)


def _lifecycle(change: Role) -> tuple[Interface, ...]:
    """Return what a managed node has, with the role that may change its state."""
    messages = "lifecycle_msgs"
    return (
        Interface("~/transition_event", f"{messages}/TransitionEvent", OUT, LAST, READER),
        *_services(f"{messages}/GetState", READER, "get_state"),
        *_services(f"{messages}/GetAvailableStates", READER, "get_available_states"),
        *_services(f"{messages}/GetAvailableTransitions", READER,
                   "get_available_transitions", "get_transition_graph"),
        *_services(f"{messages}/ChangeState", change, "change_state"),
    )  # fmt: skip


RECORDING = (
    Interface("robot_description", TEXT, IN, LATCHED, about=RECORDED),
    Interface("{estimator}/payload", ESTIMATE, IN, LATCHED, about=RECORDED,
              shown="all `PayloadEstimate` of its namespace"),
    Interface("{planner}/description", PLAN, IN, LATCHED, about=RECORDED,
              shown="all `PlanDescription` of its namespace"),
)  # fmt: skip

INTERFACES: Mapping[str, tuple[Interface, ...]] = {
    "payload_sampler": (
        Interface("{joint_states}", STATES, IN, "volatile, depth `queue`; best effort or "
                  "reliable as the robot file or `reliability` says", shown="`joint_states`"),
        Interface("{wrench}", "geometry_msgs/WrenchStamped", IN, "best effort, volatile, depth "
                  "`queue`", about="with source `wrench`", shown="`wrench`"),
        Interface("~/samples", "payload_id_msgs/SampleBlock", OUT, BLOCKS, READER,
                  "with source `wrench` `WrenchBlock`"),
        Interface("~/state", "payload_id_msgs/SamplerState", OUT, LATCHED, READER,
                  "once a second: what is wrong, and where it records"),
        *RECORDING,
        *CONDITION,
        *_lifecycle(OPERATOR),
    ),
    "payload_estimator": (
        Interface("{sampler}/samples", "payload_id_msgs/SampleBlock", IN, BLOCKS,
                  shown="`payload_sampler/samples`", about="or `WrenchBlock`, as `source` says"),
        Interface("{sampler}/state", "payload_id_msgs/SamplerState", IN, LATCHED,
                  shown="`payload_sampler/state`"),
        Interface("~/payload", ESTIMATE, OUT, LATCHED, READER),
        Interface("~/payload_inertia", "geometry_msgs/InertiaStamped", OUT, LATCHED, READER,
                  "only with a positive mass that is identified"),
        Interface("~/markers", MARKERS, OUT, LATCHED, READER),
        Interface("~/payload_effort", "payload_id_msgs/PayloadEffort", OUT,
                  "reliable, volatile, depth 100", READER,
                  "every `contact_window` once a payload is known"),
        Interface("~/payload_wrench", "geometry_msgs/WrenchStamped", OUT,
                  "reliable, volatile, depth 100", READER, "with it"),
        Interface("~/contact", "payload_id_msgs/Contact", OUT, LATCHED, READER, "on change"),
        Interface("~/contact_markers", MARKERS, OUT, LATCHED, READER, "on change"),
        Interface("~/payload_event", "payload_id_msgs/PayloadEvent", OUT,
                  "reliable, transient local, depth 100", READER, "with `hands_free`"),
        Interface("~/payload_feedforward", "std_msgs/Float64MultiArray", OUT,
                  "best effort, volatile, depth 5", READER, "with `feedforward`"),
        Interface("{joint_states}", STATES, IN, "best effort, volatile, depth 5",
                  about="with `feedforward`", shown="`joint_states`"),
        *CONDITION,
        *_lifecycle(OPERATOR),
        *_services("payload_id_msgs/GetEstimate", READER, "get_estimate"),
        *_services("payload_id_msgs/Validate", READER, "validate"),
        *_services(TRIGGER, OPERATOR, "start", "stop", "reset", "tare", "hold_out"),
        *_services("payload_id_msgs/BeginRun", OPERATOR, "begin"),
        *_services("payload_id_msgs/Save", OPERATOR, "save"),
    ),
    "payload_team": (
        Interface("{team_topics}", "sensor_msgs/JointState; or geometry_msgs/PoseStamped, "
                  "TwistStamped and WrenchStamped; sensor_msgs/Imu", IN,
                  "volatile, depth `queue`; best effort or reliable as the team file says",
                  shown="those of the team file, of every robot"),
        Interface("~/team", "payload_id_msgs/TeamEstimate", OUT, LATCHED, READER),
        Interface("{team_shares}", "payload_id_msgs/GravityShare", OUT, LATCHED, READER,
                  "for the gravity compensation of each robot",
                  "`payload_share` in every robot's namespace"),
        Interface("~/markers", MARKERS, OUT, LATCHED, READER),
        Interface("~/wrist_motion", "trajectory_msgs/MultiDOFJointTrajectory", OUT, LATCHED, READER,
                  "planned for all wrists, each in its own level frame; nothing moves by it"),
        Interface("/tf_static", FRAMES, OUT, LATCHED, READER, "grasp frames, with `publish_tf`"),
        *CONDITION,
        *_lifecycle(OPERATOR),
        *_services("payload_id_msgs/GetTeamEstimate", READER, "get_estimate"),
        *_services("payload_id_msgs/GetGraspTransform", READER, "get_grasp_transform"),
        *_services(TRIGGER, OPERATOR, "start", "stop", "reset", "plan_wrists"),
        *_services("std_srvs/SetBool", OPERATOR, "guide"),
        *_services("payload_id_msgs/LetGo", OPERATOR, "let_go"),
        *_services("payload_id_msgs/Save", OPERATOR, "save"),
    ),
    "payload_planner": (
        Interface("{joint_states}", STATES, IN, "volatile, depth 4000; as for the sampler",
                  shown="`joint_states`"),
        Interface("{estimator}/payload", ESTIMATE, IN, LATCHED, shown="`<estimator>/payload`"),
        Interface("{estimator}/condition", STATUS, IN, LATCHED, shown="`<estimator>/condition`"),
        *(Interface(f"{{estimator}}/{name}", kind, Way.CALL) for name, kind in RUN_CALLS.items()),
        Interface("{bridge}/state", STATE, IN, LATCHED, shown="`<bridge>/state`"),
        Interface("{bridge}/follow", "payload_id_msgs/Follow", Way.GOAL),
        Interface("~/description", PLAN, OUT, LATCHED, READER, "the newest plan"),
        Interface("~/swept_volume", MARKERS, OUT, LATCHED, READER),
        Interface("attached_collision_object", "moveit_msgs/AttachedCollisionObject", OUT,
                  "reliable, volatile, depth 1", READER, "where moveit_msgs is installed"),
        *CONDITION,
        *_lifecycle(MOVER),
        *_services(TRIGGER, OPERATOR, "stop", "pause"),
        *_services(TRIGGER, MOVER, "resume", "attach_payload"),
        *(Interface(f"~/{x}", f"payload_id_msgs/{x.capitalize()}", Way.ACTION, role=MOVER)
          for x in ("plan", "execute", "identify")),
    ),
    "payload_bridge": (
        Interface("{joint_states}", STATES, IN, "volatile, depth 4000; as for the sampler",
                  shown="`joint_states`"),
        Interface("{estimator}/payload", ESTIMATE, IN, LATCHED, shown="`<estimator>/payload`"),
        Interface("{estimator}/condition", STATUS, IN, LATCHED, shown="`<estimator>/condition`"),
        Interface("{controller_manager}/activity",
                  "controller_manager_msgs/ControllerManagerActivity", IN, LATCHED,
                  about="where there is one", shown="`<controller_manager>/activity`"),
        Interface("{controller_manager}/list_controllers",
                  "controller_manager_msgs/ListControllers", Way.CALL),
        Interface("{controller_manager}/list_hardware_interfaces",
                  "controller_manager_msgs/ListHardwareInterfaces", Way.CALL),
        Interface("{controller}/controller_state", CONTROLLER_STATE, IN,
                  "best effort, volatile, depth 200", about="the controller's own errors",
                  shown="`controller_state` of the controller"),
        Interface("{driver_topics}", "those of the robot file", IN,
                  "best effort, volatile; and reliable, transient local; depth 100",
                  about="faults and modes, where their types are here",
                  shown="`driver.follows_while` of the robot file"),
        Interface("~/obstacles", "payload_id_msgs/ObstacleArray", IN, LAST,
                  about="all that its publisher knows"),
        Interface("/tf_static", FRAMES, IN, "reliable, transient local, depth 2000",
                  about="frames of obstacles"),
        Interface("/tf", FRAMES, IN, BLOCKS, about="frames that move"),
        Interface("{enable}", "std_msgs/Bool", IN, LAST, shown="`enable`",
                  about="of an enabling device, where there is one"),
        Interface("{speed_scaling}", "std_msgs/Float64", IN, "best effort, volatile, depth 100",
                  shown="`driver.speed_scaling_topic` of the robot file"),
        Interface("{controller}/follow_joint_trajectory",
                  "control_msgs/FollowJointTrajectory", Way.GOAL),
        Interface("{joint_trajectory}", TRAJECTORY, IN, LAST, about="what others command",
                  shown="`command.trajectory_topic` of the robot file"),
        Interface("{set_point_topics}", "geometry_msgs/PointStamped; geometry_msgs/Wrench; "
                  "geometry_msgs/Twist", OUT, "reliable, volatile, depth 1",
                  about="with the back end `team_topics`, while the robot is in use by it",
                  shown="`delta/desired_position`, `delta/additional_force` and `cmd_vel` of "
                  "`team_robot`"),
        Interface("~/state", STATE, OUT, LATCHED, READER),
        Interface("~/obstacle_markers", MARKERS, OUT, LATCHED, READER),
        *CONDITION,
        *_lifecycle(MOVER),
        *_services(TRIGGER, OPERATOR, "stop"),
        *_services("payload_id_msgs/SetObstacles", MOVER, "set_obstacles"),
        *_services("payload_id_msgs/Acknowledge", MOVER, "acknowledge"),
        Interface("~/follow", "payload_id_msgs/Follow", Way.ACTION, role=MOVER),
    ),
    "payload_apply": (
        Interface("{joint_states}", STATES, IN, "volatile, depth 4000; as for the sampler",
                  shown="`joint_states`"),
        Interface("{driver_topics}", "those of the robot file", IN,
                  "best effort, volatile; and reliable, transient local; depth 100",
                  about="faults and modes, where their types are here",
                  shown="`driver.follows_while` of the robot file"),
        Interface("{payload_state}", "that of the driver", IN,
                  "best effort, volatile, depth 50", about="which load the arm has",
                  shown="`driver.payload.state_topic` of the robot file"),
        Interface("{payload_service}", "that of the driver", Way.CALL),
        Interface("{estimator}/payload", ESTIMATE, IN, LATCHED, about="with `--follow`",
                  shown="`<estimator>/payload`"),
        Interface("{estimator}/payload_event", "payload_id_msgs/PayloadEvent", IN,
                  "reliable, transient local, depth 100",
                  about="with `--follow`", shown="`<estimator>/payload_event`"),
    ),
    "simulated_arm": (
        Interface("{joint_states}", STATES, OUT,
                  "reliable, transient local, depth 2000", READER,
                  "effort as the robot's driver publishes it", "`joint_states`"),
        Interface("{joint_trajectory}", TRAJECTORY, IN, SYSTEM_IN,
                  shown="`command.trajectory_topic` of the robot file"),
        Interface("{controller}/follow_joint_trajectory",
                  "control_msgs/FollowJointTrajectory", Way.ACTION),
        Interface("{controller}/controller_state", CONTROLLER_STATE, OUT,
                  SYSTEM_OUT, READER, "each cycle, while somebody listens"),
        Interface("forward_effort_controller/commands", "std_msgs/Float64MultiArray", IN,
                  "best effort, volatile, depth 100", about="the last one counts for ever"),
        Interface("{controller_manager}/activity",
                  "controller_manager_msgs/ControllerManagerActivity", OUT, LATCHED, READER),
        *(Interface(f"{{controller_manager}}/{name}", f"controller_manager_msgs/{kind}",
                    Way.SERVICE, role=role)
          for name, kind, role in (
              ("list_controllers", "ListControllers", READER),
              ("list_hardware_interfaces", "ListHardwareInterfaces", READER),
              ("switch_controller", "SwitchController", MOVER))),
        Interface("robot_joint_states", STATES, OUT,
                  "reliable, transient local, depth 2000", READER,
                  "with `controllers:=real`, for their hardware"),
        Interface("robot_joint_commands", STATES, IN, "reliable, volatile, depth 1",
                  about="with `controllers:=real`, from their hardware"),
        Interface("~/accepted", TRAJECTORY, OUT, LAST, READER,
                  "what the controller took; without points: a goal was cancelled"),
        Interface("robot_description", TEXT, OUT, LATCHED, READER, "URDF"),
        Interface("~/truth", TEXT, OUT, LATCHED, READER, "JSON of what was simulated"),
        Interface("/clock", "rosgraph_msgs/Clock", OUT, "reliable, volatile, depth 1",
                  about="with `publish_clock`, each cycle"),
    ),
}  # fmt: skip
# Who may set parameters, of the nodes that have any that may change while they run.
SETTING = {
    "payload_estimator": OPERATOR,
    "payload_team": OPERATOR,
    "payload_bridge": MOVER,
    "simulated_arm": OPERATOR,
}
# Nodes that share a process, and so an enclave, under the name of their program.
TOGETHER = {"identify": ("payload_sampler", "payload_estimator")}


OF_ROS = _parameters(None)  # of every node


def all_of(node: str) -> tuple[Interface, ...]:
    """Return all interfaces of a node, those that rclpy gives it included."""
    return (*INTERFACES[node], *_parameters(SETTING.get(node)))
