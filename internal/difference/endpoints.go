package difference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// normalizeEndpoints puts addresses, ports and subsets into one order: that
// of Endpoints has no meaning, and controllers sort them.
func normalizeEndpoints(o *unstructured.Unstructured) {
	var e corev1.Endpoints //nolint:staticcheck // deprecated, and still written by people
	if runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &e) != nil {
		return
	}
	for i := range e.Subsets {
		s := &e.Subsets[i]
		for j := range s.Ports {
			s.Ports[j].Protocol = cmp.Or(s.Ports[j].Protocol, corev1.ProtocolTCP)
		}
		slices.SortStableFunc(s.Addresses, byAddress)
		slices.SortStableFunc(s.NotReadyAddresses, byAddress)
		slices.SortStableFunc(s.Ports, byPort)
	}
	slices.SortStableFunc(e.Subsets, func(a, b corev1.EndpointSubset) int { //nolint:staticcheck // as above
		return cmp.Compare(subsetName(a), subsetName(b))
	})
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&e)
	if err == nil {
		o.Object = content
	}
}

func byAddress(a, b corev1.EndpointAddress) int {
	return cmp.Or(cmp.Compare(a.IP, b.IP), cmp.Compare(targetOf(a), targetOf(b)))
}

func targetOf(a corev1.EndpointAddress) string {
	if a.TargetRef == nil {
		return ""
	}
	return string(a.TargetRef.UID)
}

func byPort(a, b corev1.EndpointPort) int {
	return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Name, b.Name))
}

func subsetName(s corev1.EndpointSubset) string { //nolint:staticcheck // as above
	var b strings.Builder
	for _, a := range s.Addresses {
		fmt.Fprintf(&b, "%s,", a.IP)
	}
	for _, p := range s.Ports {
		fmt.Fprintf(&b, "%d/%s/%s,", p.Port, p.Protocol, p.Name)
	}
	return b.String()
}
