package apiserver

import (
	"strings"

	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/component-base/compatibility"

	"github.com/causeway-gitops/causeway/kube/internal/release"
)

// releasedRegistry answers with the release that was built in, where upstream without linker flags says v0.0.0.
type releasedRegistry struct {
	compatibility.ComponentGlobalsRegistry
}

func (r releasedRegistry) EffectiveVersionFor(component string) compatibility.EffectiveVersion {
	found := r.ComponentGlobalsRegistry.EffectiveVersionFor(component)
	if found == nil {
		return nil
	}
	return releasedVersion{found}
}

type releasedVersion struct {
	compatibility.EffectiveVersion
}

// Info is what the API server answers at /version.
func (v releasedVersion) Info() *apimachineryversion.Info {
	info := v.EffectiveVersion.Info()
	if info == nil || !strings.HasPrefix(info.GitVersion, release.Unknown) {
		return info
	}
	info.GitVersion = release.Kubernetes()
	info.GitCommit = ""
	return info
}
