package kwok

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/kube/internal/release"
)

// AddNodes makes sure that nodes node-1 to node-count exist, with a kubelet that serves on port. More nodes than that, from an earlier start, stay.
func AddNodes(ctx context.Context, client kubernetes.Interface, count int, port uint16) error {
	for i := 1; i <= count; i++ {
		_, err := client.CoreV1().Nodes().Create(ctx, node(i, port), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("cannot add node %s: %w", NodeName(i), err)
		}
	}
	return nil
}

// Announce tells the API server on which port the kubelet of every node serves. It is another one after each start.
func Announce(ctx context.Context, client kubernetes.Interface, port uint16) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list the nodes: %w", err)
	}
	patch := fmt.Appendf(nil, `{"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}`, port)
	for i := range nodes.Items {
		name := nodes.Items[i].Name
		if nodes.Items[i].Status.DaemonEndpoints.KubeletEndpoint.Port == int32(port) {
			continue
		}
		_, err := client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("cannot tell the port of the kubelet of node %s: %w", name, err)
		}
	}
	return nil
}

// NodeName is the name of the i-th node, counted from one.
func NodeName(i int) string { return fmt.Sprintf("node-%d", i) }

func node(i int, port uint16) *corev1.Node {
	name := NodeName(i)
	// Room for whatever is scheduled: only requests are counted, nothing is used.
	room := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("1k"),
		corev1.ResourceMemory:           resource.MustParse("16Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("16Ti"),
		corev1.ResourcePods:             resource.MustParse("100k"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:   name,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: "amd64",
			},
		},
		Spec: corev1.NodeSpec{
			// 250 ranges of 65,000 addresses; beyond that pods of different nodes share addresses, which nothing here minds.
			PodCIDR: fmt.Sprintf("10.%d.0.0/16", i%250),
		},
		Status: corev1.NodeStatus{
			Capacity:    room,
			Allocatable: room,
			DaemonEndpoints: corev1.NodeDaemonEndpoints{
				KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(port)},
			},
			NodeInfo: corev1.NodeSystemInfo{
				Architecture:    "amd64",
				OperatingSystem: "linux",
				KubeletVersion:  release.Kubernetes(),
			},
		},
	}
}
