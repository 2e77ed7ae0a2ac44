package difference

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func fillRest(o any) bool { //nolint:cyclop // a table of kinds
	switch o := o.(type) {
	case *networkingv1.NetworkPolicy:
		if len(o.Spec.PolicyTypes) == 0 {
			o.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
			if len(o.Spec.Egress) > 0 {
				o.Spec.PolicyTypes = append(o.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
			}
		}
	case *networkingv1.NetworkPolicyPort:
		orPointer(&o.Protocol, corev1.ProtocolTCP)
	case *networkingv1.IngressClassParametersReference:
		orPointer(&o.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
	case *rbacv1.RoleRef:
		or(&o.APIGroup, rbacv1.GroupName)
	case *rbacv1.Subject:
		if o.Kind == rbacv1.UserKind || o.Kind == rbacv1.GroupKind {
			or(&o.APIGroup, rbacv1.GroupName)
		}
	case *schedulingv1.PriorityClass:
		orPointer(&o.PreemptionPolicy, corev1.PreemptLowerPriority)
	case *discoveryv1.EndpointPort:
		orPointer(&o.Name, "")
		orPointer(&o.Protocol, corev1.ProtocolTCP)
	case *resourcev1.ExactDeviceRequest:
		or(&o.AllocationMode, resourcev1.DeviceAllocationModeExactCount)
		if o.AllocationMode == resourcev1.DeviceAllocationModeExactCount {
			or(&o.Count, 1)
		}
	case *resourcev1.DeviceSubRequest:
		or(&o.AllocationMode, resourcev1.DeviceAllocationModeExactCount)
		if o.AllocationMode == resourcev1.DeviceAllocationModeExactCount {
			or(&o.Count, 1)
		}
	case *resourcev1.DeviceToleration:
		or(&o.Operator, resourcev1.DeviceTolerationOpEqual)
	case *authenticationv1.TokenRequestSpec:
		orPointer(&o.ExpirationSeconds, tokenSeconds)
	default:
		return fillStorage(o) || fillAdmission(o) || fillFlowControl(o)
	}
	return true
}

func fillStorage(o any) bool {
	switch o := o.(type) {
	case *storagev1.StorageClass:
		orPointer(&o.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		orPointer(&o.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	case *storagev1.CSIDriver:
		orPointer(&o.Spec.AttachRequired, true)
		orPointer(&o.Spec.PodInfoOnMount, false)
		orPointer(&o.Spec.StorageCapacity, false)
		orPointer(&o.Spec.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
		orPointer(&o.Spec.RequiresRepublish, false)
		orPointer(&o.Spec.SELinuxMount, false)
		if len(o.Spec.VolumeLifecycleModes) == 0 {
			o.Spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
		}
	default:
		return false
	}
	return true
}

func fillAdmission(o any) bool {
	const port, seconds int32 = 443, 10
	switch o := o.(type) {
	case *admissionv1.ValidatingWebhook:
		orPointer(&o.FailurePolicy, admissionv1.Fail)
		orPointer(&o.MatchPolicy, admissionv1.Equivalent)
		orPointer(&o.NamespaceSelector, metav1.LabelSelector{})
		orPointer(&o.ObjectSelector, metav1.LabelSelector{})
		orPointer(&o.TimeoutSeconds, seconds)
	case *admissionv1.MutatingWebhook:
		orPointer(&o.FailurePolicy, admissionv1.Fail)
		orPointer(&o.MatchPolicy, admissionv1.Equivalent)
		orPointer(&o.NamespaceSelector, metav1.LabelSelector{})
		orPointer(&o.ObjectSelector, metav1.LabelSelector{})
		orPointer(&o.TimeoutSeconds, seconds)
		orPointer(&o.ReinvocationPolicy, admissionv1.NeverReinvocationPolicy)
	case *admissionv1.Rule:
		orPointer(&o.Scope, admissionv1.AllScopes)
	case *admissionv1.ServiceReference:
		orPointer(&o.Port, port)
	case *admissionv1.ValidatingAdmissionPolicySpec:
		orPointer(&o.FailurePolicy, admissionv1.Fail)
	case *admissionv1.MutatingAdmissionPolicySpec:
		orPointer(&o.FailurePolicy, admissionv1.Fail)
	case *admissionv1.MatchResources:
		orPointer(&o.MatchPolicy, admissionv1.Equivalent)
		orPointer(&o.NamespaceSelector, metav1.LabelSelector{})
		orPointer(&o.ObjectSelector, metav1.LabelSelector{})
	default:
		return false
	}
	return true
}

func fillFlowControl(o any) bool {
	const shares int32 = 30
	switch o := o.(type) {
	case *flowcontrolv1.FlowSchemaSpec:
		or(&o.MatchingPrecedence, 1000)
	case *flowcontrolv1.ExemptPriorityLevelConfiguration:
		orPointer(&o.NominalConcurrencyShares, 0)
		orPointer(&o.LendablePercent, 0)
	case *flowcontrolv1.LimitedPriorityLevelConfiguration:
		orPointer(&o.NominalConcurrencyShares, shares)
		orPointer(&o.LendablePercent, 0)
	case *flowcontrolv1.QueuingConfiguration:
		or(&o.Queues, 64)
		or(&o.HandSize, 8)
		or(&o.QueueLengthLimit, 50)
	default:
		return false
	}
	return true
}
