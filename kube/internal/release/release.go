// Package release tells which Kubernetes this binary was built from.
//
// The upstream modules learn their version from linker flags, and without those call themselves v0.0.0, which every
// Helm chart with a kubeVersion would refuse. The build information of the Go toolchain knows better.
package release

import (
	"runtime/debug"
	"sync"
)

const module = "k8s.io/kubernetes"

// Unknown is what Kubernetes answers when the binary carries no build information.
const Unknown = "v0.0.0"

// Kubernetes returns the release of the control plane, such as v1.36.3.
var Kubernetes = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Unknown
	}
	return find(info.Deps)
})

func find(deps []*debug.Module) string {
	for _, dep := range deps {
		if dep.Path == module {
			return dep.Version
		}
	}
	return Unknown
}
