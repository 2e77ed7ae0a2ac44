package difference

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func fillCore(o any) bool { //nolint:cyclop // a table of kinds
	switch o := o.(type) {
	case *corev1.Service:
		fillService(&o.Spec)
	case *corev1.ServicePort:
		or(&o.Protocol, corev1.ProtocolTCP)
		if o.TargetPort == intstr.FromInt32(0) || o.TargetPort == intstr.FromString("") {
			o.TargetPort = intstr.FromInt32(o.Port)
		}
	case *corev1.LoadBalancerIngress:
		if o.IP != "" {
			orPointer(&o.IPMode, corev1.LoadBalancerIPModeVIP)
		}
	case *corev1.Secret:
		or(&o.Type, corev1.SecretTypeOpaque)
	case *corev1.EndpointPort:
		or(&o.Protocol, corev1.ProtocolTCP)
	case *corev1.Namespace:
		or(&o.Status.Phase, corev1.NamespaceActive)
		if o.Name != "" {
			if o.Labels == nil {
				o.Labels = map[string]string{}
			}
			o.Labels[corev1.LabelMetadataName] = o.Name
		}
	case *corev1.NodeStatus:
		if o.Allocatable == nil && o.Capacity != nil {
			o.Allocatable = o.Capacity.DeepCopy()
		}
	case *corev1.LimitRangeItem:
		if o.Type == corev1.LimitTypeContainer {
			fillLimits(o)
		}
	case *corev1.ReplicationController:
		fillReplicationController(o)
	default:
		return false
	}
	return true
}

func fillService(s *corev1.ServiceSpec) {
	or(&s.SessionAffinity, corev1.ServiceAffinityNone)
	if s.SessionAffinity == corev1.ServiceAffinityNone {
		s.SessionAffinityConfig = nil
	}
	if s.SessionAffinity == corev1.ServiceAffinityClientIP {
		orPointer(&s.SessionAffinityConfig, corev1.SessionAffinityConfig{})
		orPointer(&s.SessionAffinityConfig.ClientIP, corev1.ClientIPConfig{})
		orPointer(&s.SessionAffinityConfig.ClientIP.TimeoutSeconds, corev1.DefaultClientIPServiceAffinitySeconds)
	}
	or(&s.Type, corev1.ServiceTypeClusterIP)
	outside := s.Type == corev1.ServiceTypeNodePort || s.Type == corev1.ServiceTypeLoadBalancer
	if outside || s.Type == corev1.ServiceTypeClusterIP && len(s.ExternalIPs) > 0 {
		or(&s.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	if outside || s.Type == corev1.ServiceTypeClusterIP {
		orPointer(&s.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if s.Type == corev1.ServiceTypeLoadBalancer {
		orPointer(&s.AllocateLoadBalancerNodePorts, true)
	}
}

// fillLimits derives the defaults of containers from their bounds.
func fillLimits(l *corev1.LimitRangeItem) {
	l.Default = filled(l.Default, l.Max)
	l.DefaultRequest = filled(filled(l.DefaultRequest, l.Default), l.Min)
}

func filled(to, from corev1.ResourceList) corev1.ResourceList {
	if to == nil {
		to = corev1.ResourceList{}
	}
	for name, quantity := range from {
		if _, ok := to[name]; !ok {
			to[name] = quantity.DeepCopy()
		}
	}
	return to
}

func fillReplicationController(o *corev1.ReplicationController) {
	orPointer(&o.Spec.Replicas, 1)
	if o.Spec.Template == nil {
		return
	}
	labels := o.Spec.Template.Labels
	if len(labels) > 0 && len(o.Spec.Selector) == 0 {
		o.Spec.Selector = labels
	}
	if len(labels) > 0 && len(o.Labels) == 0 {
		o.Labels = labels
	}
}
