package breakout

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// possession is what blue and the operator have, by kind, namespace and name.
type possession map[string]string

// kept are the kinds that are looked at, and where.
var kept = map[schema.GroupVersionKind][]string{
	{Version: "v1", Kind: "ConfigMap"}:                                              {blueNS, blueApps, control},
	{Version: "v1", Kind: "Secret"}:                                                 {blueNS, blueApps, control},
	{Version: "v1", Kind: "Service"}:                                                {blueNS},
	{Version: "v1", Kind: "ServiceAccount"}:                                         {blueNS, control},
	{Version: "v1", Kind: "Namespace"}:                                              {""},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}:        {""},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"}: {""},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}:        {blueNS, control},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}:                {blueNS, blueApps, control},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "AppProject"}:                 {control},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "ApplicationSet"}:             {control},
}

// has reads all that is not red's.
func (b *bed) has(t *testing.T) possession {
	t.Helper()
	out := possession{}
	for kind, namespaces := range kept {
		for _, namespace := range namespaces {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(kind)
			if err := b.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
				t.Fatal(err)
			}
			for i := range list.Items {
				if o := &list.Items[i]; !reds(o.GetName()) {
					out[kind.Kind+" "+namespace+"/"+o.GetName()] = identity(t, o)
				}
			}
		}
	}
	return out
}

// reds reports whether a name is one that red may use where it shares a place with others.
func reds(name string) bool { return name == "red" || strings.HasPrefix(name, "red-") }

// identity changes with the object. The engine compares an Application again whenever it likes and says when, which
// changes nothing of it.
func identity(t *testing.T, o *unstructured.Unstructured) string {
	t.Helper()
	version := o.GetResourceVersion()
	content := ""
	if o.GetKind() == "Application" {
		version = ""
		status, _, _ := unstructured.NestedMap(o.Object, "status")
		for _, said := range []string{"reconciledAt", "observedAt", "conditions"} {
			delete(status, said)
		}
		text, err := json.Marshal([]any{o.Object["spec"], o.GetAnnotations(), o.GetFinalizers(), o.Object["operation"], status})
		if err != nil {
			t.Fatal(err)
		}
		content = string(text)
	}
	return fmt.Sprintf("%s %s %v %s", o.GetUID(), version, o.GetDeletionTimestamp(), content)
}

// judge tells what of an attempt has reached the victim since it had what it had: nothing, when all is well. Looks
// are requests that are none, and counts says which of those to blue's server are.
func (b *bed) judge(t *testing.T, had possession, looks []string, counts func(asked string) bool) []string {
	t.Helper()
	touches := sprung(b.ran)
	for _, r := range b.requests(t) {
		if ours(r) && b.touches(r) && !slices.Contains(looks, r.String()) {
			touches = append(touches, "the engine asked the API server to "+r.String())
		}
	}
	for _, asked := range b.blue.take() {
		if counts(asked) {
			touches = append(touches, "blue's repository was asked to "+asked)
		}
	}
	if diff := cmp.Diff(had, b.has(t)); diff != "" {
		touches = append(touches, "what blue has is another: "+diff)
	}
	return touches
}

// ours reports whether the engine asked, by its own account or by that of blue's cluster.
func ours(r request) bool { return r.User.Username == engineUser || r.User.Username == bluesCluster }

// touches reports whether a request reaches what is not red's. What is asked as somebody is asked as red's account. The
// engine reads all namespaces at once; one that it reads by itself is one that it reads with nobody attacking, too.
func (b *bed) touches(r request) bool {
	if r.As.Username != "" && r.As.Username != redAccount {
		return true
	}
	if r.reads() {
		return !b.ordinary(r)
	}
	switch r.Object.Namespace {
	case redNS:
		return r.As.Username == "" && !b.itself && r.Object.Resource != "events"
	case redApps:
		return r.Object.Resource != "applications" && r.Object.Resource != "events"
	case "":
		return !reds(r.Object.Name) && !strings.HasSuffix(r.Object.Name, ".red.example.com")
	case blueApps:
		// What the engine says of the victim is held against what it said before.
		return r.Object.Resource != "events" && (r.Object.Resource != "applications" || r.Object.Name != shopKey.Name || r.Verb != "patch")
	case control:
		return r.Object.Resource != "events" && !b.usual[r.String()] && !reds(r.Object.Name)
	}
	return true
}

// watched ends the engine and looks at its watches, of which the log tells when they are over: none is of blue alone.
func (b *bed) watched(t *testing.T) {
	b.requests(t)
	b.stop()
	for _, r := range b.requests(t) {
		if ours(r) && r.Verb == "watch" && b.touches(r) {
			t.Errorf("the engine asked the API server to %s", r)
		}
	}
	for _, touch := range sprung(b.ran) {
		t.Errorf("once the engine has ended: %s", touch)
	}
}

// ordinary reports whether a read is one of those by which the engine lives. A watch ends at any time.
func (b *bed) ordinary(r request) bool {
	together := r.Object.Name == "" && r.Object.Namespace == ""
	// It is told in which namespaces there are Applications, and watches those of each.
	applications := r.Verb == "watch" && r.Object.Resource == "applications" && r.Object.Name == "" && r.Object.Namespace == blueApps
	return together || applications || r.Verb == "watch" && r.Object.Namespace == control || slices.Contains([]string{redNS, redApps}, r.Object.Namespace) || b.usual[r.String()] || reds(r.Object.Name) || strings.HasSuffix(r.Object.Name, ".red.example.com")
}
