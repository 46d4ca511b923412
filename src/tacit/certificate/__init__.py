"""What a release says of itself, signed: anyone can check it later, offline."""

from tacit.certificate.certificate import Certificate as Certificate
from tacit.certificate.certificate import Statement as Statement
from tacit.certificate.presentation import Presentation as Presentation
from tacit.certificate.signing import SigningKey as SigningKey
from tacit.certificate.signing import Verdict as Verdict
from tacit.certificate.signing import fingerprint as fingerprint
from tacit.certificate.signing import key_beside as key_beside
from tacit.certificate.signing import present as present
from tacit.certificate.signing import sign as sign
from tacit.certificate.signing import verify as verify
from tacit.certificate.signing import verify_table as verify_table
