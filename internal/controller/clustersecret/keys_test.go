package clustersecret

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestWhatDiffers(t *testing.T) {
	dev := func(change func(*gitops.Cluster)) gitops.Cluster {
		c := gitops.Cluster{
			Name: "dev", Server: "https://dev", Secret: "dev", Project: "team", Namespaces: []string{"web"},
			Labels: map[string]string{"a": "1", "b": "1"}, Annotations: map[string]string{"a": "1"},
		}
		change(&c)
		return c
	}
	cases := map[string]struct {
		reason string
		change func(*gitops.Cluster)
		whole  bool
		keys   []string
	}{
		"nothing":     {"credentials alone are read by no set", func(*gitops.Cluster) {}, false, nil},
		"value":       {"a label has another value", func(c *gitops.Cluster) { c.Labels["a"] = "2" }, false, []string{"metadata.labels.a"}},
		"empty":       {"an empty label is another one than none", func(c *gitops.Cluster) { c.Labels["c"] = "" }, false, []string{"metadata.labels.c"}},
		"gone":        {"a label is gone", func(c *gitops.Cluster) { delete(c.Labels, "b") }, false, []string{"metadata.labels.b"}},
		"both":        {"one of each", func(c *gitops.Cluster) { c.Labels["a"], c.Annotations["b"] = "2", "" }, false, []string{"metadata.annotations.b", "metadata.labels.a"}},
		"last":        {"without annotations templates have no map of them", func(c *gitops.Cluster) { c.Annotations = nil }, true, []string{"metadata.annotations.a"}},
		"name":        {"the cluster is called otherwise", func(c *gitops.Cluster) { c.Name = "test" }, true, nil},
		"server":      {"it is reached elsewhere", func(c *gitops.Cluster) { c.Server = "https://test" }, true, nil},
		"project":     {"it belongs to others", func(c *gitops.Cluster) { c.Project = "" }, true, nil},
		"namespaces":  {"it is limited otherwise", func(c *gitops.Cluster) { c.Namespaces = nil }, true, nil},
		"source":      {"somebody else describes it", func(c *gitops.Cluster) { c.Source = "capi" }, true, nil},
		"draining":    {"sets do not see it any more", func(c *gitops.Cluster) { c.Annotations[gitops.AnnotationDraining] = "true" }, true, []string{"metadata.annotations." + gitops.AnnotationDraining}},
		"not skipped": {"a word that means nothing", func(c *gitops.Cluster) { c.Annotations[v1alpha1.AnnotationSkipReconcile] = "false" }, false, []string{"metadata.annotations." + v1alpha1.AnnotationSkipReconcile}},
	}
	for name, c := range cases {
		before, now := dev(func(*gitops.Cluster) {}), dev(c.change)
		if got := isWhole(before, now); got != c.whole {
			t.Errorf("%s: %s: whole is %v, want %v", name, c.reason, got, c.whole)
		}
		if d := cmp.Diff(c.keys, keysOf(before, now)); d != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, c.reason, d)
		}
	}
}
