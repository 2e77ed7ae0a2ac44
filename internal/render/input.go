package render

import (
	"encoding/json"
	"fmt"

	"github.com/zeebo/blake3"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

func (in Input) check() error {
	specs := in.App.Spec.GetSources()
	if len(specs) == 0 {
		return gitops.Problemf(gitops.Invalid, "cannot render application %s: it has no source", in.App.Name).Do("set spec.source or spec.sources")
	}
	if len(specs) != len(in.Snapshots) {
		return fmt.Errorf("cannot render application %s: %d snapshots for %d sources", in.App.Name, len(in.Snapshots), len(specs))
	}
	seen := map[string]bool{}
	for i, s := range specs {
		if in.Snapshots[i] == nil {
			return fmt.Errorf("cannot render application %s: no snapshot of source %d", in.App.Name, i)
		}
		if s.Ref != "" && seen[s.Ref] {
			return gitops.Problemf(gitops.Invalid, "cannot render application %s: two sources have the ref %q", in.App.Name, s.Ref).Do("give each ref a name of its own")
		}
		seen[s.Ref] = true
	}
	return nil
}

// from is where the render reads what lies elsewhere.
func (in Input) from(own Snapshots) Snapshots {
	if in.Remotes != nil {
		return in.Remotes
	}
	return own
}

func (in Input) id() string { return in.App.Namespace + "/" + in.App.Name }

func (in Input) trackingName() string {
	if in.TrackingName != "" {
		return in.TrackingName
	}
	return in.App.Name
}

// key hashes everything that goes into a render but for files, revisions
// and facts: those are compared by what was used of them.
func (in Input) key() [32]byte {
	text, err := json.Marshal(struct {
		Name, Tracking, Namespace, Project string
		Sources                            v1alpha1.ApplicationSources
		Settings                           source.Settings
		GeneratePaths                      string
	}{in.App.Name, in.trackingName(), in.App.Spec.Destination.Namespace, in.App.Spec.GetProject(), in.App.Spec.GetSources(), in.Settings, in.App.Annotations[v1alpha1.AnnotationManifestGeneratePaths]})
	if err != nil {
		// Raw extensions that are no JSON: the text of the error is no key,
		// so such an application is rendered, and fails, each time.
		return [32]byte{}
	}
	return blake3.Sum256(text)
}

func (in Input) revisions() []string {
	out := make([]string, len(in.Snapshots))
	for i, s := range in.Snapshots {
		out[i] = s.Revision
	}
	return out
}
