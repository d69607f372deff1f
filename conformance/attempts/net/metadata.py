"""Ask a cloud's metadata service, which hands out credentials to whoever can reach it.

Each request is the vendor's own, sent to the vendor's own address. The service is a listener of ours on the loopback of a network without
any way out, so that a real one is never asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.attempts.net.common import http, reach
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

LINK_LOCAL = "169.254.169.254"


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    """`source` is the vendor's document. The nonce goes in as user agent."""

    whose: str
    path: str
    source: str
    address: str = LINK_LOCAL
    method: str = "GET"
    headers: tuple[str, ...] = ()

    def request(self, nonce: str) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return http(self.method, self.path, host, *self.headers, f"User-Agent: {nonce}")


EC2 = "Amazon EC2 user guide: instance metadata"
GCP = "Google Cloud: about VM metadata"
GCP_TOKEN = "/computeMetadata/v1/instance/service-accounts/default/token"
GOOGLE = ("Metadata-Flavor: Google",)
ROLE = "/latest/meta-data/iam/security-credentials/"

SERVICES = {
    "aws-v1": Service(whose="EC2's role credentials (IMDSv1)", path=ROLE, source=EC2),
    "aws-v2": Service(
        whose="an EC2 session token (IMDSv2)",
        method="PUT",
        path="/latest/api/token",
        headers=("X-aws-ec2-metadata-token-ttl-seconds: 21600", "Content-Length: 0"),
        source=EC2,
    ),
    "aws-v6": Service(whose="EC2's role credentials over IPv6", address="fd00:ec2::254", path=ROLE, source=EC2),
    "aws-ecs": Service(
        whose="an ECS task's role credentials",
        address="169.254.170.2",
        path="/v2/credentials/00000000-0000-0000-0000-000000000000",
        source="Amazon ECS developer guide: task IAM role",
    ),
    "aws-eks": Service(
        whose="an EKS pod's credentials",
        address="169.254.170.23",
        path="/v1/credentials",
        source="Amazon EKS user guide: EKS Pod Identity",
    ),
    "gcp": Service(whose="a Google Cloud access token", path=GCP_TOKEN, headers=GOOGLE, source=GCP),
    "gcp-v6": Service(
        whose="a Google Cloud access token over IPv6",
        address="fd20:ce::254",
        path=GCP_TOKEN,
        headers=GOOGLE,
        source=GCP,
    ),
    "azure": Service(
        whose="an Azure managed identity's token",
        path="/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fmanagement.azure.com%2F",
        headers=("Metadata: true",),
        source="Azure Instance Metadata Service",
    ),
    "azure-wireserver": Service(
        whose="the goal state that Azure's wire server keeps",
        address="168.63.129.16",
        path="/machine/?comp=goalstate",
        headers=("x-ms-version: 2012-11-30",),
        source="Azure: what is IP address 168.63.129.16?",
    ),
    "alibaba": Service(
        whose="Alibaba Cloud's role credentials",
        address="100.100.100.200",
        path="/latest/meta-data/ram/security-credentials/",
        source="Alibaba Cloud ECS: instance metadata",
    ),
    "oracle": Service(
        whose="an Oracle Cloud instance's certificate",
        path="/opc/v2/identity/cert.pem",
        headers=("Authorization: Bearer Oracle",),
        source="Oracle Cloud Infrastructure: instance metadata",
    ),
    "oracle-classic": Service(
        whose="Oracle Compute Classic's metadata",
        address="192.0.0.192",
        path="/latest/user-data",
        source="Oracle Cloud Infrastructure Compute Classic: instance metadata",
    ),
    "tencent": Service(
        whose="Tencent Cloud's role credentials",
        address="169.254.0.23",
        path="/latest/meta-data/cam/security-credentials/",
        source="Tencent Cloud CVM: viewing instance metadata",
    ),
    "openstack": Service(
        whose="OpenStack's instance metadata",
        path="/openstack/latest/meta_data.json",
        source="OpenStack Nova: metadata service",
    ),
    "digitalocean": Service(
        whose="a Droplet's metadata", path="/metadata/v1.json", source="DigitalOcean: Droplet metadata"
    ),
    "hetzner": Service(
        whose="a Hetzner server's metadata", path="/hetzner/v1/metadata", source="Hetzner Cloud: server metadata"
    ),
    "ibm": Service(
        whose="an IBM Cloud instance identity token",
        method="PUT",
        path="/instance_identity/v1/token?version=2022-03-01",
        headers=("Metadata-Flavor: ibm", "Content-Length: 0"),
        source="IBM Cloud VPC: instance metadata service",
    ),
    "scaleway": Service(
        whose="a Scaleway instance's metadata",
        address="169.254.42.42",
        path="/conf?format=json",
        source="Scaleway Instances: metadata API",
    ),
    "linode": Service(
        whose="a Linode metadata token",
        method="PUT",
        path="/v1/token",
        headers=("Metadata-Token-Expiry-Seconds: 3600", "Content-Length: 0"),
        source="Akamai Linode: metadata service API",
    ),
}


def _attempt(service: Service) -> Attempt:
    def arm(scene: Scene) -> Armed:
        return reach(scene, service.address, 80, service.request)

    return Attempt(
        title=f"Ask {service.address} for {service.whose}.",
        requirement="A cloud's metadata service cannot be reached.",
        violates=RuleKind.NET_OFF,
        severity=Severity.CRITICAL,
        arm=arm,
        needs=frozenset((Need.NETWORK,)),
        references=(service.source,),
    )


FAMILY = {name: _attempt(service) for name, service in SERVICES.items()}
