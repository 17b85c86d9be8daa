"""A keystore as `ros2 security create_keystore` and `create_enclave` lay it out, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs7 import (
    PKCS7Options,
    PKCS7SignatureBuilder,
)

from payload_id.ros.access.permissions import permissions_xml
from payload_id.ros.access.policy import Enclave

NOW = datetime.now(timezone.utc).replace(microsecond=0)
BEGIN, END = NOW - timedelta(days=1), NOW + timedelta(days=1)
# Everybody is known, everything is encrypted, and permissions count on every topic.
GOVERNANCE = """\
<?xml version="1.0" encoding="UTF-8"?>
<dds>
  <domain_access_rules>
    <domain_rule>
      <domains><id>{domain}</id></domains>
      <allow_unauthenticated_participants>false</allow_unauthenticated_participants>
      <enable_join_access_control>true</enable_join_access_control>
      <discovery_protection_kind>ENCRYPT</discovery_protection_kind>
      <liveliness_protection_kind>ENCRYPT</liveliness_protection_kind>
      <rtps_protection_kind>SIGN</rtps_protection_kind>
      <topic_access_rules>
        <topic_rule>
          <topic_expression>*</topic_expression>
          <enable_discovery_protection>true</enable_discovery_protection>
          <enable_liveliness_protection>true</enable_liveliness_protection>
          <enable_read_access_control>true</enable_read_access_control>
          <enable_write_access_control>true</enable_write_access_control>
          <metadata_protection_kind>ENCRYPT</metadata_protection_kind>
          <data_protection_kind>ENCRYPT</data_protection_kind>
        </topic_rule>
      </topic_access_rules>
    </domain_rule>
  </domain_access_rules>
</dds>
"""


class Authority:
    """Who certifies enclaves and signs what they may."""

    def __init__(self) -> None:
        """Make a key and a certificate of its own."""
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self.certify("authority", self.key.public_key(), is_authority=True)

    def certify(
        self, name: str, key: ec.EllipticCurvePublicKey, is_authority: bool = False
    ) -> x509.Certificate:
        """Return a certificate of a key."""
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        issuer = subject if is_authority else self.certificate.subject
        builder = x509.CertificateBuilder(issuer, subject, key, x509.random_serial_number())
        builder = builder.not_valid_before(BEGIN).not_valid_after(END)
        limits = x509.BasicConstraints(is_authority, 1 if is_authority else None)
        builder = builder.add_extension(limits, critical=is_authority)
        return builder.sign(self.key, hashes.SHA256())

    def sign(self, text: str) -> bytes:
        """Return a text with its signature."""
        builder = PKCS7SignatureBuilder().set_data(text.encode())
        builder = builder.add_signer(self.certificate, self.key, hashes.SHA256())
        return builder.sign(Encoding.SMIME, [PKCS7Options.Text, PKCS7Options.DetachedSignature])


def make_keystore(folder: Path, enclaves: Iterable[Enclave], domain: int) -> Path:
    """Make the keystore of a domain; return its folder."""
    authority = Authority()
    pem = authority.certificate.public_bytes(Encoding.PEM)
    governance = authority.sign(GOVERNANCE.format(domain=domain))
    for enclave in enclaves:
        place = folder / "enclaves" / enclave.path.lstrip("/")
        place.mkdir(parents=True)
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = authority.certify(enclave.path, key.public_key())
        for name, content in {
            "identity_ca.cert.pem": pem,
            "permissions_ca.cert.pem": pem,
            "governance.p7s": governance,
            "cert.pem": certificate.public_bytes(Encoding.PEM),
            "key.pem": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
            "permissions.p7s": authority.sign(permissions_xml(enclave, domain, BEGIN, END)),
        }.items():
            (place / name).write_bytes(content)
    return folder
