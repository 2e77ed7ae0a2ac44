package gitops

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a sync says of its wait can be read again.
func TestWaitingIsReadAsItWasWritten(t *testing.T) {
	web := Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	cases := map[string]struct {
		reason string
		is     Waiting
		more   string
	}{
		"object":     {"an object with words of its health", Waiting{web, Sync, 2, Health{Message: "1 of 3 replicas: (and so on)"}}, ""},
		"more":       {"what follows of others is none of its words", Waiting{web, Sync, 2, Health{Message: "1 of 3"}}, " (and 4 more)"},
		"hook":       {"a hook has a phase", Waiting{Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "migrate"}, PreSync, -1, Health{Code: Progressing}}, ""},
		"core":       {"the core group is empty, and so is the namespace of what has none", Waiting{Key{Kind: "Namespace", Name: "shop"}, Sync, 0, Health{Code: Missing}}, ""},
		"two colons": {"names of roles have colons", Waiting{Key{Group: "rbac.authorization.k8s.io", Kind: "Role", Namespace: "shop", Name: "system:web:reader"}, Sync, 1, Health{Message: "a\nb"}}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := ParseWaiting(tc.is.String() + tc.more)
			if !ok {
				t.Fatalf("%s: %q is not understood", tc.reason, tc.is)
			}
			if diff := cmp.Diff(tc.is, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func FuzzParseWaiting(f *testing.F) {
	f.Add("waiting for apps/Deployment:shop/web in wave 2: 1 of 3 replicas (and 1 more)")
	f.Add("waiting for /Pod:/x in PreSync wave 99999999999999999999: ")
	f.Fuzz(func(t *testing.T, text string) {
		w, ok := ParseWaiting(text)
		if !ok {
			return
		}
		again, ok := ParseWaiting(w.String())
		if !ok || again.Key != w.Key || again.Wave != w.Wave {
			t.Errorf("%q is read as %+v, and that as %+v", text, w, again)
		}
	})
}
