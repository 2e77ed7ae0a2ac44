package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

// apiServer answers what is read of Secrets, two of a page, and counts how often it is asked for them. All other kinds
// are empty.
type apiServer struct {
	client.Reader

	there   []metav1.PartialObjectMetadata
	refuses func(labelled bool) error
	late    bool
	asked   []string
}

func (a *apiServer) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	secrets, ok := list.(*metav1.PartialObjectMetadataList)
	if a.late && ok {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return fmt.Errorf("cannot reach the server: %w", ctx.Err())
	}
	if !ok {
		return nil
	}
	var o client.ListOptions
	o.ApplyOptions(options)
	labelled := o.LabelSelector != nil && !o.LabelSelector.Empty()
	if a.refuses != nil {
		if err := a.refuses(labelled); err != nil {
			return err
		}
	}
	var found []metav1.PartialObjectMetadata
	for i := range a.there {
		if s := &a.there[i]; (o.Namespace == "" || s.Namespace == o.Namespace) && (!labelled || s.Labels[esv1.LabelManaged] != "") {
			found = append(found, *s)
		}
	}
	from := 0
	if _, err := fmt.Sscan(o.Continue, &from); err != nil {
		a.asked = append(a.asked, fmt.Sprintf("list of %q", o.Namespace))
	}
	to := min(from+2, len(found))
	secrets.Items, secrets.Continue = append(secrets.Items[:0], found[from:to]...), ""
	if to < len(found) {
		secrets.Continue = strconv.Itoa(to)
	}
	return nil
}

func (a *apiServer) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	a.asked = append(a.asked, "get")
	for i := range a.there {
		if s := &a.there[i]; client.ObjectKeyFromObject(s) == key {
			object.SetName(s.Name)
			return nil
		}
	}
	return apierrors.NewNotFound(corev1.Resource("secrets"), key.Name)
}

// many are ExternalSecrets of so many namespaces, each with so many.
func many(namespaces, each int) (all []esv1.ExternalSecret) {
	for n := range namespaces {
		for i := range each {
			all = append(all, *made(func(e *esv1.ExternalSecret) { e.Namespace, e.Name = fmt.Sprint("ns", n), fmt.Sprint("s", i) }))
		}
	}
	return all
}

// TestAbsentSecrets: how often a cluster is asked does not grow with the Secrets that have no label.
func TestAbsentSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		reason           string
		namespaces, each int
		asked            string
	}{
		"Few":        {"each is asked for by its name", 2, 2, `list of "" get get get`},
		"Namespaces": {"a list of each namespace that they are in", 2, 500, `list of "" list of "ns0" list of "ns1"`},
		"Whole":      {"one of all, where they are in many", 500, 2, `list of "" list of ""`},
	} {
		t.Run(name, func(t *testing.T) {
			server := &apiServer{there: []metav1.PartialObjectMetadata{
				{ObjectMeta: metav1.ObjectMeta{Namespace: "ns0", Name: "s0", Labels: map[string]string{esv1.LabelManaged: "true"}}},
				{ObjectMeta: metav1.ObjectMeta{Namespace: "ns0", Name: "other"}},
				{ObjectMeta: metav1.ObjectMeta{Namespace: "ns1", Name: "other"}},
				{ObjectMeta: metav1.ObjectMeta{Namespace: "ns1", Name: "s1"}},
			}}
			read, warnings := (&reader{Reader: server, cluster: "prod"}).content(t.Context(), "", many(c.namespaces, c.each))
			if got := strings.Join(server.asked, " "); got != c.asked || len(warnings) > 0 {
				t.Errorf("%s: asked for %s, want %s; %v", c.reason, got, c.asked, warnings)
			}
			for _, key := range []types.NamespacedName{{Namespace: "ns0", Name: "s0"}, {Namespace: "ns1", Name: "s1"}} {
				if one := read.secrets[key]; one == nil || one.Name != key.Name {
					t.Errorf("of %s is known: %v", key, one)
				}
			}
			if len(read.secrets) != 2 {
				t.Errorf("%d Secrets are kept, want those that are made", len(read.secrets))
			}
		})
	}
}

// TestUnreadSecrets: who may not read Secrets learns that once, and what is known of ExternalSecrets; none is missing.
func TestUnreadSecrets(t *testing.T) {
	refused := errors.New("secrets is forbidden")
	labelled := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns0", Name: "s0", Labels: map[string]string{esv1.LabelManaged: "true"}}}
	for name, c := range map[string]struct {
		reason  string
		server  *apiServer
		exists  int
		warning string
	}{
		"Rights": {
			"nobody knows which there are", &apiServer{refuses: func(bool) error { return refused }}, 0,
			"cluster prod: not all Secrets can be read, not even their metadata, so that none counts as missing: secrets is forbidden",
		},
		"Rest": {
			"what was found is there", &apiServer{there: []metav1.PartialObjectMetadata{labelled}, refuses: func(labelled bool) error {
				if labelled {
					return nil
				}
				return refused
			}}, 1,
			"cluster prod: not all Secrets can be read, not even their metadata, so that none counts as missing: secrets is forbidden",
		},
		"Late": {
			"the time is over, for all that was still to be read", &apiServer{late: true}, 0,
			"cluster prod did not answer all within 20s, so that this is not known, or not all of it: the Secrets, who uses them",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var (
				read     *content
				warnings []string
			)
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				read, warnings = (&reader{Reader: c.server, cluster: "prod"}).content(ctx, "", many(1, 30))
			})
			if got := strings.Join(warnings, "\n"); got != c.warning {
				t.Errorf("%s: warnings are %s, want %s", c.reason, got, c.warning)
			}
			exists := 0
			for _, s := range read.all() {
				text, _ := json.Marshal(s)
				if strings.Contains(string(text), `"exists":true`) {
					exists++
				} else if strings.Contains(string(text), "exists") {
					t.Errorf("%s: %s", c.reason, text)
				}
				if s.Status(clitest.Noon) != "Ready" || s.Needy() {
					t.Errorf("%s: the status is %s", c.reason, s.Status(clitest.Noon))
				}
			}
			if exists != c.exists {
				t.Errorf("%s: %d are there, want %d", c.reason, exists, c.exists)
			}
		})
	}
}
