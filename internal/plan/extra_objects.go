package plan

import (
	"cmp"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Extra is an object that belongs to the application and is no part of its
// state: a hook that is still there, an object whose tracking id was copied
// from another one, or one that is never applied.
type Extra struct {
	Key     gitops.Key
	Version string
	Wave    int
	Hook    bool
	// Own tells that the tracking id is the object's own.
	Own bool
}

// Extras are those among the live objects, in order. Objects that other
// objects own are left out: controllers copy annotations to what they make.
func Extras(s *Set, live map[gitops.Key]*gitops.Live) []Extra {
	var out []Extra
	desired := make(map[gitops.Key]bool, len(s.Objects))
	for i := range s.Objects {
		o := &s.Objects[i]
		if o.Hook.Skipped {
			out = append(out, Extra{Key: o.Key, Version: o.Object.GroupVersionKind().Version, Wave: o.Wave})
		}
		if !o.Hook.Is {
			desired[o.Key] = true
		}
	}
	for key, l := range live {
		app, id, ok := gitops.ParseTrackingID(l.Tracking)
		if !ok || app != s.tracking || desired[key] || len(l.Owners) > 0 {
			continue
		}
		h := ParseHook(l.Annotations)
		_, own := trackedBy(l)
		if h.Is || h.Skipped || !own && id.Name != "" {
			out = append(out, Extra{Key: key, Version: l.Version.Version, Wave: WaveOf(l.Annotations), Hook: h.Is, Own: own})
		}
	}
	slices.SortFunc(out, func(a, b Extra) int { return cmp.Compare(a.Key.String(), b.Key.String()) })
	return out
}
