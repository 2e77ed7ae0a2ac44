package difference

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func fillPod(o any) bool {
	switch o := o.(type) {
	case *corev1.Pod:
		fillRequests(o.Spec.InitContainers)
		fillRequests(o.Spec.Containers)
		fillResources(&o.Spec) // of the containers' requests, as they are by now
		orPointer(&o.Spec.EnableServiceLinks, true)
		if o.Spec.HostNetwork {
			fillHostPorts(o.Spec.InitContainers)
			fillHostPorts(o.Spec.Containers)
		}
	case *corev1.PodSpec:
		or(&o.DNSPolicy, corev1.DNSClusterFirst)
		or(&o.RestartPolicy, corev1.RestartPolicyAlways)
		orPointer(&o.SecurityContext, corev1.PodSecurityContext{})
		orPointer(&o.TerminationGracePeriodSeconds, 30)
		or(&o.SchedulerName, corev1.DefaultSchedulerName)
	case *corev1.Container:
		or(&o.ImagePullPolicy, pullPolicy(o.Image))
		or(&o.TerminationMessagePath, corev1.TerminationMessagePathDefault)
		or(&o.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	case *corev1.EphemeralContainerCommon:
		or(&o.ImagePullPolicy, pullPolicy(o.Image))
		or(&o.TerminationMessagePath, corev1.TerminationMessagePathDefault)
		or(&o.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	case *corev1.ContainerPort:
		or(&o.Protocol, corev1.ProtocolTCP)
	case *corev1.ResourceRequirements:
		roundUp(o.Limits)
		roundUp(o.Requests)
	case *corev1.Probe:
		or(&o.TimeoutSeconds, 1)
		or(&o.PeriodSeconds, 10)
		or(&o.SuccessThreshold, 1)
		or(&o.FailureThreshold, 3)
	case *corev1.HTTPGetAction:
		or(&o.Path, "/")
		or(&o.Scheme, corev1.URISchemeHTTP)
	case *corev1.GRPCAction:
		orPointer(&o.Service, "")
	case *corev1.ObjectFieldSelector:
		or(&o.APIVersion, "v1")
	case *corev1.FileKeySelector:
		orPointer(&o.Optional, false)
	default:
		return false
	}
	return true
}

// fillRequests lets what is limited be requested, too.
func fillRequests(containers []corev1.Container) {
	for i := range containers {
		r := &containers[i].Resources
		if r.Limits != nil && r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		for name, limit := range r.Limits {
			if _, ok := r.Requests[name]; !ok {
				r.Requests[name] = limit.DeepCopy()
			}
		}
	}
}

func fillHostPorts(containers []corev1.Container) {
	for i := range containers {
		for j := range containers[i].Ports {
			p := &containers[i].Ports[j]
			or(&p.HostPort, p.ContainerPort)
		}
	}
}

// roundUp leaves quantities no finer than thousandths.
func roundUp(list corev1.ResourceList) {
	for name, quantity := range list {
		quantity.RoundUp(resource.Milli)
		list[name] = quantity
	}
}

// pullPolicy is Always for what has no tag, or the tag latest.
func pullPolicy(image string) corev1.PullPolicy {
	if strings.Contains(image, "@") {
		return corev1.PullIfNotPresent
	}
	_, tag, tagged := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	if !tagged || tag == "latest" {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}
