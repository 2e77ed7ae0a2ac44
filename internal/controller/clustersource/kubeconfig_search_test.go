package clustersource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// hub has Secrets by their namespaces, and tells how they are asked for.
type hub struct {
	client.WithWatch

	secrets map[string]func(i int) *corev1.Secret // nil: there is none after it
	pages   map[string]int
	// asked counts what is asked for of Clusters, looked how they are served.
	asked, looked int
	unserved      bool
}

// Get implements client.Reader. There is a Cluster for every second Secret.
func (h *hub) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	h.asked++
	if i, _ := strconv.Atoi(strings.TrimPrefix(key.Name, "s-")); i%2 == 0 {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	into.SetLabels(map[string]string{"env": "prod"})
	return nil
}

// RESTMapper implements client.Client.
func (h *hub) RESTMapper() meta.RESTMapper {
	h.looked++
	kind := capiCluster.WithVersion("v1beta1")
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{kind.GroupVersion()})
	if !h.unserved {
		m.Add(kind, meta.RESTScopeNamespace)
	}
	return m
}

// List implements client.Reader.
func (h *hub) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	o := client.ListOptions{}
	o.ApplyOptions(opts)
	h.pages[o.Namespace]++
	page := into.(*corev1.SecretList)
	at, _ := strconv.Atoi(o.Continue)
	for i := at; ; i++ {
		if o.Limit > 0 && int64(i-at) == o.Limit {
			page.Continue = strconv.Itoa(i)
			return nil
		}
		one := h.secrets[o.Namespace]
		if one == nil {
			return errors.New("not permitted")
		}
		secret := one(i)
		if secret == nil {
			return nil
		}
		if o.Namespace != "" {
			secret.Namespace = o.Namespace
		}
		secret.Name = fmt.Sprint("s-", i)
		page.Items = append(page.Items, *secret)
	}
}

// several are so many Secrets with a text.
func several(n int, text string) func(int) *corev1.Secret {
	return func(i int) *corev1.Secret {
		if i >= n {
			return nil
		}
		return &corev1.Secret{Data: map[string][]byte{"config": []byte(text), "other": bytes.Repeat([]byte("x"), 10)}}
	}
}

// TestFind has a namespace that is as it should be beside one that is not.
func TestFind(t *testing.T) {
	megabyte := strings.Repeat("x", 1_000_000)
	labelled := func(int) *corev1.Secret {
		s := &corev1.Secret{Data: map[string][]byte{"config": []byte("a")}}
		s.Labels = map[string]string{}
		for i := range 10_000 {
			s.Labels[strconv.Itoa(i)] = ""
		}
		return s
	}
	for name, tc := range map[string]struct {
		reason string
		red    func(int) *corev1.Secret
		found  int
		pages  int // at most
		says   string
	}{
		"Few":       {"all are found", several(3, "a"), 3, 1, ""},
		"Pages":     {"more than a page", several(60, "a"), 60, 3, ""},
		"Large":     {"large ones that somebody means", several(5, megabyte), 5, 1, ""},
		"Flooded":   {"large ones without end are read no further than what is kept", several(1<<30, megabyte), 0, mostKept/2/1_000_000/perPage + 1, "more than 64 MiB, its part of 128 MiB"},
		"Many":      {"small ones without end", several(1<<30, "a"), 0, mostFound/perPage + 1, "too many kubeconfigs in namespace red, or too large ones: there are more than 10000; choose fewer"},
		"Labels":    {"what their labels become counts as well", labelled, 0, 6, "too many kubeconfigs in namespace red"},
		"Forbidden": {"one that cannot be read", nil, 0, 1, "cannot list Secrets in namespace red: not permitted"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hub{secrets: map[string]func(int) *corev1.Secret{"blue": several(2, "b"), "red": tc.red}, pages: map[string]int{}}
			r := &Reconciler{Options: Options{Hub: h}}
			all, _, unread := r.find(t.Context(), scope{
				namespaces: []string{"blue", "red"}, secrets: labels.Everything(), keys: []string{"kubeconfig", "config"},
				name: func(s *corev1.Secret) (string, bool) { return s.Name, true },
			}, nil)
			if len(all) != 2+tc.found || all[0].from != "blue/s-0" || string(all[0].text) != "b" {
				t.Errorf("%s: %d are found", tc.reason, len(all))
			}
			if h.pages["red"] > tc.pages || h.pages["blue"] != 1 {
				t.Errorf("%s: %v pages are read", tc.reason, h.pages)
			}
			if err := unread["red"]; (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) || unread["blue"] != nil {
				t.Errorf("%s: %v", tc.reason, unread)
			}
		})
	}
}

// TestPlacesOfANamespace has more kubeconfigs than a source takes. Who has a
// cluster keeps it, and it is told how many have none.
func TestPlacesOfANamespace(t *testing.T) {
	const more = 200
	o := &others{origins: map[string]string{}}
	for i := range mostTaken {
		name := fmt.Sprint("c-", i)
		o.all = append(o.all, gitops.Cluster{Secret: name, Source: "ours"}, gitops.Cluster{Secret: "theirs-" + name, Source: "theirs"}, gitops.Cluster{Secret: "by-hand"})
		o.origins[name], o.origins["theirs-"+name] = fmt.Sprint("red/s-", i+more), fmt.Sprint("blue/s-", i)
	}
	has := o.taken("ours")
	if len(has) != mostTaken {
		t.Fatalf("the source has clusters of %d Secrets", len(has))
	}
	last := fmt.Sprint("red/s-", mostTaken+more-1)
	for name, tc := range map[string]struct {
		reason      string
		there       int
		has         taken
		taken, left int
		first       string
	}{
		"All":   {"as many as there are places", mostTaken, nil, mostTaken, 0, "red/s-0"},
		"More":  {"the first have them", mostTaken + more, nil, mostTaken, more, "red/s-0"},
		"Old":   {"those before it in the order of names take no place of one that is there", mostTaken + more, taken{last: {}}, mostTaken, more, "red/s-0"},
		"Full":  {"nor all of them together", mostTaken + more, has, mostTaken, more, fmt.Sprint("red/s-", more)},
		"Going": {"one whose kubeconfig is gone has its place until it goes", mostTaken + more - 1, has, mostTaken - 1, more, fmt.Sprint("red/s-", more)},
		"Above": {"more than there are places for, from before there was a bound", mostTaken + more, over(mostTaken + more), mostTaken + more, 0, "red/s-0"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hub{secrets: map[string]func(int) *corev1.Secret{"red": several(tc.there, "a")}, pages: map[string]int{}}
			r := &Reconciler{Options: Options{Hub: h}}
			all, left, unread := r.find(t.Context(), scope{
				namespaces: []string{"red"}, secrets: labels.Everything(), keys: []string{"config"}, name: func(s *corev1.Secret) (string, bool) { return s.Name, true },
			}, tc.has)
			if len(all) != tc.taken || all[0].from != tc.first || left["red"] != tc.left || len(unread) > 0 {
				t.Fatalf("%s: %d are taken from %s on, %v are left: %v", tc.reason, len(all), all[0].from, left, unread)
			}
			if _, old := tc.has[last]; old && tc.there > mostTaken+more-1 && all[len(all)-1].from != last {
				t.Errorf("%s: the last one is %s", tc.reason, all[len(all)-1].from)
			}
			out := &outcome{}
			out.noPlace(left)
			if told := fmt.Sprintf("in namespace red is no place for %d more kubeconfigs", tc.left); out.waits != (tc.left > 0) || tc.left > 0 && !strings.Contains(out.told(), told) {
				t.Errorf("%s: told %q", tc.reason, out.told())
			}
		})
	}
}

// over has clusters of so many Secrets.
func over(n int) taken {
	out := taken{}
	for i := range n {
		out[fmt.Sprint("red/s-", i)] = struct{}{}
	}
	return out
}

// TestPlacesOfAllNamespaces has one list for all of them. Each has its own
// places: who fills one takes none of another.
func TestPlacesOfAllNamespaces(t *testing.T) {
	const blue = 3
	h := &hub{secrets: map[string]func(int) *corev1.Secret{"": func(i int) *corev1.Secret {
		s := several(mostTaken+1+blue, "a")(i)
		if s == nil {
			return nil
		}
		s.Namespace = "blue"
		if i <= mostTaken {
			s.Namespace = "red"
		}
		return s
	}}, pages: map[string]int{}}
	r := &Reconciler{Options: Options{Hub: h}}
	all := scope{namespaces: []string{""}, secrets: labels.Everything(), keys: []string{"config"}, name: func(s *corev1.Secret) (string, bool) { return s.Name, true }}
	last := fmt.Sprint("red/s-", mostTaken)
	for name, has := range map[string]taken{"New": nil, "Old": {last: {}}} {
		t.Run(name, func(t *testing.T) {
			got, left, unread := r.find(t.Context(), all, has)
			if len(got) != mostTaken+blue || len(unread) > 0 {
				t.Fatalf("%d are taken, %v cannot be read", len(got), unread)
			}
			if diff := cmp.Diff(map[string]int{"red": 1}, left); diff != "" {
				t.Errorf("those without a place (-want +got):\n%s", diff)
			}
			if _, old := has[last]; old != (got[mostTaken-1].from == last) {
				t.Errorf("the last of the full namespace is %s", got[mostTaken-1].from)
			}
		})
	}
	h.secrets = nil
	if _, _, unread := r.find(t.Context(), all, nil); unread[""] == nil || !strings.Contains(unread[""].Error(), "cannot list Secrets in all namespaces") {
		t.Errorf("what cannot be listed is told as %v", unread)
	}
}

// TestClustersThatAreAskedFor has somebody with as many Secrets as they please.
func TestClustersThatAreAskedFor(t *testing.T) {
	everything, none := labels.Everything(), labels.SelectorFromSet(labels.Set{"env": "none"})
	prod := labels.SelectorFromSet(labels.Set{"env": "prod"})
	for name, tc := range map[string]struct {
		reason             string
		there              int
		owners             labels.Selector
		unserved           bool
		asked, taken, left int
		says               string
	}{
		"Few":      {reason: "each is asked for", there: 3, owners: everything, asked: 3, taken: 3},
		"Chosen":   {reason: "those alone are taken that the selector chooses", there: 10, owners: prod, asked: 10, taken: 5},
		"NoPlace":  {reason: "what has no place is not asked for", there: mostTaken + 200, owners: everything, asked: mostTaken, taken: mostTaken, left: 200},
		"Unclear":  {reason: "it is where that tells whether it is one", there: 2*mostTaken + 200, owners: prod, asked: 2*mostTaken + 200, taken: mostTaken, left: 100},
		"Endless":  {reason: "those without end that the selector does not choose", there: 1 << 30, owners: none, asked: mostFound, says: "there are more than 10000"},
		"Many":     {reason: "those without end that it does", there: 1 << 30, owners: everything, asked: mostTaken, says: "there are more than 10000"},
		"Unserved": {reason: "no Clusters are known", there: 5, owners: everything, unserved: true, taken: 5},
	} {
		t.Run(name, func(t *testing.T) {
			h := &hub{secrets: map[string]func(int) *corev1.Secret{"red": several(tc.there, "a")}, pages: map[string]int{}, unserved: tc.unserved}
			r := &Reconciler{Options: Options{Hub: h}}
			all, left, unread := r.find(t.Context(), scope{
				namespaces: []string{"red"}, secrets: everything, owners: tc.owners, keys: []string{"config"}, capi: true,
				name: func(s *corev1.Secret) (string, bool) { return s.Name, true },
			}, nil)
			if h.asked != tc.asked || h.looked != 1 {
				t.Errorf("%s: %d Clusters are asked for, and %d times how they are served", tc.reason, h.asked, h.looked)
			}
			if len(all) != tc.taken || left["red"] != tc.left {
				t.Errorf("%s: %d are taken, %v are left", tc.reason, len(all), left)
			}
			if err := unread["red"]; (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

func TestUnreadIsNotGone(t *testing.T) {
	o := &others{origins: map[string]string{"a": "red/a", "b": "blue/b", "old": ""}}
	for name, tc := range map[string]struct {
		reason string
		unread map[string]error
		left   map[string]int
		stay   []string
	}{
		"Read":    {"all could be read", nil, nil, nil},
		"One":     {"one namespace could not, of which may be what does not say", map[string]error{"red": errors.New("x")}, nil, []string{"a", "old"}},
		"All":     {"the list of all namespaces could not", map[string]error{"": errors.New("x")}, nil, []string{"a", "b", "old"}},
		"NoPlace": {"one without a place may be of what does not say where it was found", nil, map[string]int{"red": 1}, []string{"old"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.stay, slices.Sorted(maps.Keys(o.of(tc.unread, tc.left)))); diff != "" {
				t.Errorf("%s: what stays (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
