package witness

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

var sceneName = regexp.MustCompile(`^(f[0-9]+)(-|$)`)

// SceneOf is the namespace of the scene that a name belongs to, or nothing.
func SceneOf(name string) string {
	if m := sceneName.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

func tooOld(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }

// healthy is the suite's own judgement, for the few kinds of scenes.
func healthy(o *unstructured.Unstructured) bool {
	number := func(fields ...string) int64 {
		n, _, _ := unstructured.NestedInt64(o.Object, fields...)
		return n
	}
	switch o.GetKind() {
	case "Deployment":
		want := number("spec", "replicas")
		return number("status", "observedGeneration") >= o.GetGeneration() &&
			number("status", "updatedReplicas") == want && number("status", "availableReplicas") == want && number("status", "replicas") == want
	case "Job":
		return number("status", "succeeded") > 0
	case "Application":
		code, _, _ := unstructured.NestedString(o.Object, "status", "health", "status")
		return code == "Healthy"
	}
	return true
}

// operation tells runs of syncs apart: an operation and each of its retries.
func operation(o *unstructured.Unstructured) string {
	if o.GetKind() != "Application" {
		return ""
	}
	started, _, _ := unstructured.NestedString(o.Object, "status", "operationState", "startedAt")
	revision, _, _ := unstructured.NestedString(o.Object, "status", "operationState", "syncResult", "revision")
	retry, _, _ := unstructured.NestedInt64(o.Object, "status", "operationState", "retryCount")
	if started == "" {
		return ""
	}
	return fmt.Sprintf("%s %s %d", started, revision, retry)
}

// contains tells where a live tree lacks what is wanted; empty: nowhere.
func contains(live, want any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		if !ok && len(w) > 0 {
			return path + " is not there"
		}
		for k, v := range w {
			if at := contains(l[k], v, path+"."+k); at != "" {
				return at
			}
		}
		return ""
	case []any:
		l, ok := live.([]any)
		if !ok || len(l) != len(w) {
			return path + " has other entries"
		}
		for i := range w {
			if at := contains(l[i], w[i], fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
		return ""
	}
	if fmt.Sprint(live) != fmt.Sprint(want) {
		return fmt.Sprintf("%s is %v, want %v", path, live, want)
	}
	return ""
}

// Equal tells what keeps the cluster from being what Git holds at a commit;
// nil when it is. Objects of kinds that are not watched are left out.
func Equal(s *scene.Scene, commit int, live map[scene.Key]*unstructured.Unstructured) error {
	wanted := map[scene.Key]bool{}
	for _, o := range s.Commits[commit] {
		if o.Hook != "" {
			wanted[o.Key] = true
			continue
		}
		wanted[o.Key] = true
		if plural(o.Kind) == "" {
			continue
		}
		l := live[o.Key]
		if l == nil {
			return fmt.Errorf("%s is missing", o.Key)
		}
		if at := contains(l.Object, s.Fields(o), ""); at != "" {
			return fmt.Errorf("%s: %s", o.Key, at)
		}
	}
	for key, l := range live {
		if key.Kind == "Application" || wanted[key] || strings.HasPrefix(key.Name, "hook-") || l.GetAnnotations()[scene.ContentAnnotation] == "" {
			continue
		}
		return fmt.Errorf("%s is still there", key)
	}
	return apps(s, live)
}

// apps looks at the Applications themselves: all there, none too many, all good.
func apps(s *scene.Scene, live map[scene.Key]*unstructured.Unstructured) error {
	for _, name := range s.Apps() {
		app := live[scene.Key{Kind: "Application", Name: name}]
		if app == nil {
			return fmt.Errorf("application %s is missing", name)
		}
		if text(app, "sync", "status") != "Synced" || text(app, "health", "status") != "Healthy" || text(app, "operationState", "phase") != "Succeeded" {
			return fmt.Errorf("application %s is not good", name)
		}
	}
	return nil
}

func text(app *unstructured.Unstructured, fields ...string) string {
	t, _, _ := unstructured.NestedString(app.Object, append([]string{"status"}, fields...)...)
	return t
}

// Describe tells how the Applications and objects of a scene stand.
func Describe(live map[scene.Key]*unstructured.Unstructured) string {
	var b strings.Builder
	for _, key := range slices.SortedFunc(maps.Keys(live), func(a, b scene.Key) int { return cmp.Compare(a.String(), b.String()) }) {
		app := live[key]
		if key.Kind != "Application" {
			fmt.Fprintf(&b, "\n\t%s: content %q, healthy %v", key, app.GetAnnotations()[scene.ContentAnnotation], healthy(app))
			continue
		}
		conditions, _, _ := unstructured.NestedSlice(app.Object, "status", "conditions")
		fmt.Fprintf(&b, "\n\t%s: %q, %q, operation %q of %s: %s; conditions %v", key, text(app, "sync", "status"), text(app, "health", "status"),
			text(app, "operationState", "phase"), text(app, "operationState", "startedAt"), text(app, "operationState", "message"), conditions)
	}
	return b.String()
}
