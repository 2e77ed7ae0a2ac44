package object

import (
	"strings"

	"k8s.io/client-go/kubernetes/scheme"
)

// clusterKinds are Kubernetes' own kinds without a namespace.
var clusterKinds = map[string]string{
	"Namespace": "", "Node": "", "PersistentVolume": "", "ComponentStatus": "",
	"ClusterRole": "rbac.authorization.k8s.io", "ClusterRoleBinding": "rbac.authorization.k8s.io",
	"StorageClass": "storage.k8s.io", "CSIDriver": "storage.k8s.io", "CSINode": "storage.k8s.io",
	"VolumeAttachment": "storage.k8s.io", "VolumeAttributesClass": "storage.k8s.io",
	"PriorityClass": "scheduling.k8s.io", "RuntimeClass": "node.k8s.io",
	"IngressClass": "networking.k8s.io", "IPAddress": "networking.k8s.io", "ServiceCIDR": "networking.k8s.io",
	"MutatingWebhookConfiguration": "admissionregistration.k8s.io", "ValidatingWebhookConfiguration": "admissionregistration.k8s.io",
	"ValidatingAdmissionPolicy": "admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding": "admissionregistration.k8s.io",
	"MutatingAdmissionPolicy": "admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding": "admissionregistration.k8s.io",
	"CustomResourceDefinition": groupCRD, "APIService": "apiregistration.k8s.io",
	"CertificateSigningRequest": "certificates.k8s.io", "ClusterTrustBundle": "certificates.k8s.io",
	"FlowSchema": "flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration": "flowcontrol.apiserver.k8s.io",
	"DeviceClass": "resource.k8s.io", "DeviceTaintRule": "resource.k8s.io", "ResourceSlice": "resource.k8s.io",
	"StorageVersion": "internal.apiserver.k8s.io", "StorageVersionMigration": "storagemigration.k8s.io",
	"TokenReview": "authentication.k8s.io", "SelfSubjectReview": "authentication.k8s.io",
	"SubjectAccessReview": "authorization.k8s.io", "SelfSubjectAccessReview": "authorization.k8s.io", "SelfSubjectRulesReview": "authorization.k8s.io",
}

// BuiltinScope reports whether a kind of Kubernetes itself has a namespace; it
// is a gitops.Scope that knows no other kinds.
func BuiltinScope(group, kind string) (namespaced, known bool) {
	if g, ok := clusterKinds[kind]; ok && g == group {
		return false, true
	}
	if group != "" && strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
		return false, false
	}
	return true, scheme.Scheme.IsGroupRegistered(group)
}
