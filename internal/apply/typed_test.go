package apply_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestUnknownFieldsAreLeftOut(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, m := applier()
	odd := strings.ReplaceAll(deployment, "replicas: 0", "replicas: 0\n  bogus: 1\n  nonsense: {a: [1]}")
	odd = strings.ReplaceAll(odd, `image: "nginx:1"`, `image: "nginx:1", oops: 1, ports: [{containerPort: 53, protocol: UDP, bog: 1}, {containerPort: 53, bog: 2}]`)
	r := apply1(t, a, c, action(t, namespace, odd))
	for _, field := range []string{".spec.bogus", ".spec.nonsense", ".oops", ".bog"} {
		if !strings.Contains(r.Message, field) {
			t.Errorf("%s is not in the message: %s", field, r.Message)
		}
	}
	if r.Live.Fingerprint == "" || !m.knows(r.Key, "digest", r.Live.Fingerprint) {
		t.Errorf("its fields are not ours: %+v", r.Live)
	}
	c.take()
	again := action(t, namespace, odd)
	again.Verb, again.Live = gitops.Update, r.Live
	apply1(t, a, c, again)
	if got := c.take(); len(got) != 1 {
		t.Errorf("the second time one request is wanted: %v", got)
	}
	again.Suspect = true
	if confirmed, err := a.Confirm(t.Context(), c, again); err != nil || confirmed.Verb != gitops.Keep {
		t.Errorf("%s (%s): %v", confirmed.Verb, confirmed.Reason, err)
	}
}

func TestRepeatedKeysAreMerged(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	odd := strings.ReplaceAll(deployment, `image: "nginx:1"`, `image: "nginx:1", ports: [{containerPort: 53, name: a}, {containerPort: 53, name: b}]`)
	first := apply1(t, a, c, action(t, namespace, odd))
	if !strings.HasPrefix(first.Message, "created") || !strings.Contains(first.Message, "equal keys") {
		t.Errorf("unexpected message: %s", first.Message)
	}
	next := action(t, namespace, strings.ReplaceAll(odd, "nginx:1", "nginx:2"))
	next.Digest, next.Verb, next.Live, next.Suspect = "other", gitops.Update, first.Live, true
	confirmed, err := a.Confirm(t.Context(), c, next)
	must(t, err)
	if confirmed.Verb != gitops.Update || confirmed.Sync != gitops.OutOfSync {
		t.Errorf("another image: %s %s (%s)", confirmed.Verb, confirmed.Sync, confirmed.Reason)
	}
	r := apply1(t, a, c, confirmed)
	next.Live = r.Live
	confirmed, err = a.Confirm(t.Context(), c, next)
	must(t, err)
	if confirmed.Verb != gitops.Keep {
		live, predicted, _ := a.Predict(t.Context(), c, next)
		t.Errorf("nothing changed: %s (%s)\n%s", confirmed.Verb, confirmed.Reason, cmp.Diff(live, predicted))
	}
}

func TestRespectIgnoreDifferences(t *testing.T) {
	cases := map[string]struct {
		reason string
		ignore gitops.Ignore
		want   string
	}{
		"Pointer": {"a pointer", gitops.Ignore{JSONPointers: []string{"/data/color"}}, "red"},
		"JQ":      {"a jq expression", gitops.Ignore{JQ: []string{".data.color"}}, "red"},
		"Manager": {"a manager", gitops.Ignore{Managers: []string{"somebody"}}, "red"},
		"Other":   {"another field", gitops.Ignore{JSONPointers: []string{"/data/size"}}, "blue"},
	}
	namespace := embeddedtest.Namespace(t, config)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			a, _ := applier()
			wanted := action(t, namespace, strings.ReplaceAll(settings, "settings", strings.ToLower(name)))
			apply1(t, a, c, wanted)
			wanted.Verb, wanted.Live, wanted.Ignore, wanted.Options.RespectIgnored = gitops.Update, c.patch(t, wanted.Key, `{"data":{"color":"red"}}`), tc.ignore, true
			for range 2 {
				wanted.Live = apply1(t, a, c, wanted).Live
				color, _, _ := unstructured.NestedString(c.get(t, wanted.Key, "v1").Object, "data", "color")
				if color != tc.want {
					t.Errorf("%s: the color is %q", tc.reason, color)
				}
			}
		})
	}
}
