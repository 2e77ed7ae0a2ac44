package gitops

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// Names as an API server takes them.
var (
	labelText  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	domainText = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,80}[a-z0-9])?$`)
	kindText   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,62}$`)
)

// ofObject reports whether a key can be that of an object.
func ofObject(k Key) bool {
	return (k.Group == "" || domainText.MatchString(k.Group)) && kindText.MatchString(k.Kind) && (k.Namespace == "" || labelText.MatchString(k.Namespace)) &&
		k.Name != "" && k.Name != "." && k.Name != ".." && !strings.ContainsAny(k.Name, "/%")
}

// FuzzTracking marks an object as an Application's, and reads whose it is: that
// one's, and nobody else's, as long as it stands where it was marked.
func FuzzTracking(f *testing.F) {
	f.Add("argocd", "web", "team-a", "web", "apps", "Deployment", "shop", "web")
	f.Add("team-a", "web", "team", "a-web", "rbac.authorization.k8s.io", "ClusterRole", "", "system:web")
	f.Add("a", "b.c", "a", "b", "", "ConfigMap", "shop", "x_y:z/Kind:n")
	f.Fuzz(func(t *testing.T, namespace, name, otherNamespace, otherName, group, kind, objectNamespace, objectName string) {
		k := Key{group, kind, objectNamespace, objectName}
		if !labelText.MatchString(namespace) || !domainText.MatchString(name) || !labelText.MatchString(otherNamespace) || !domainText.MatchString(otherName) || !ofObject(k) {
			return
		}
		app, other := TrackingName(namespace, name, "argocd"), TrackingName(otherNamespace, otherName, "argocd")
		if same := namespace == otherNamespace && name == otherName; (app == other) != same {
			t.Errorf("%s/%s and %s/%s are tracked as %q and %q", namespace, name, otherNamespace, otherName, app, other)
		}
		if ns, n := SplitTrackingName(app, "argocd"); ns != namespace || n != name {
			t.Errorf("%s/%s comes back as %s/%s", namespace, name, ns, n)
		}
		if wrong := content.IsLabelValue(labelValue(app)); len(wrong) > 0 {
			t.Errorf("%s/%s has the label %q: %v", namespace, name, labelValue(app), wrong)
		}
		id := TrackingID(app, k)
		if got, ok := TrackedBy(id, k); !ok || got != app {
			t.Errorf("%q is tracked by %q, %t", id, got, ok)
		}
		for _, copied := range []Key{{group + "x", kind, objectNamespace, objectName}, {group, kind + "x", objectNamespace, objectName}, {group, kind, "x" + objectNamespace, objectName}, {group, kind, objectNamespace, objectName + "x"}} {
			if got, ok := TrackedBy(id, copied); ok {
				t.Errorf("%s has a copy of %q, and counts as %q's", copied, id, got)
			}
		}
	})
}

// FuzzParseTrackingID reads what somebody wrote into the annotation. What counts
// is what the engine would have written, for that object or without its name.
func FuzzParseTrackingID(f *testing.F) {
	for _, id := range []string{"web:apps/Deployment:shop/web", "team-a_web:/ConfigMap:shop/", "web:/ConfigMap:other/web", "a:b:/ConfigMap:shop/web", "web:/ConfigMap:shop/web/x", ":", "::/", "web:/ConfigMap:/:x/web"} {
		f.Add(id, "", "ConfigMap", "shop", "web")
		f.Add(id, "apps", "Deployment", "", "web")
	}
	f.Fuzz(func(t *testing.T, id, group, kind, namespace, name string) {
		k := Key{group, kind, namespace, name}
		app, ok := TrackedBy(id, k)
		if !ok || !ofObject(k) {
			return
		}
		rest, mine := strings.CutPrefix(id, app+":"+group+"/"+kind+":")
		place, last, cut := strings.Cut(rest, "/")
		if strings.Contains(app, ":") || !mine || !cut || last != name && last != "" || namespace != "" && place != namespace {
			t.Errorf("%q on %s is %q's", id, k, app)
		}
	})
}

// FuzzCheckKey holds that what is refused, and nothing else, would lead elsewhere or is too long.
func FuzzCheckKey(f *testing.F) {
	for _, name := range []string{"web", "", ".", "..", "...", "a/b", "a%2fb", "../x", "a b", "a?b", "a\\b", "\x00", strings.Repeat("ä", 80) + "/"} {
		f.Add(name, "shop")
		f.Add("web", name)
	}
	f.Fuzz(func(t *testing.T, name, namespace string) {
		leads := func(s string) bool { return s == "." || s == ".." || strings.ContainsAny(s, "/%") }
		err := CheckKey(Key{Kind: "ConfigMap", Namespace: namespace, Name: name})
		long := len(name) > 512 || len(namespace) > 63
		if (err != nil) != (leads(name) || leads(namespace) || long) {
			t.Errorf("%q in %q: %v", name, namespace, err)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("the refusal repeats all of it: %d bytes", len(err.Error()))
		}
	})
}
