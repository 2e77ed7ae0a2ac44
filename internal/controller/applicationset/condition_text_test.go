package applicationset

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/report"
)

// TestConditionsNameNothingOfClusters: names of Applications, and what is wrong with
// them, may come from clusters that who reads the set may not.
func TestConditionsNameNothingOfClusters(t *testing.T) {
	kind, resource := schema.GroupKind{Group: v1alpha1.Group, Kind: "Application"}, schema.GroupResource{Resource: "applications"}
	invalid := apierrors.NewInvalid(kind, "of-vault-1", field.ErrorList{
		field.Invalid(field.NewPath("spec", "project"), "vault", "none"), field.Invalid(field.NewPath("metadata", "labels").Key("vault"), "vault", "no label"),
	})
	forbidden := apierrors.NewForbidden(resource, "of-vault-1", errors.New("vault is full"))
	made := v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: "vault"}}
	made.Name = "of-vault-1"
	cases := map[string]struct {
		reason string
		errs   []error
		want   string
		class  report.Class
	}{
		"None":    {"nothing is wrong", nil, "", report.None},
		"Invalid": {"the fields are told, and not what is in them", []error{&unwritten{"create", "of-vault-1", false, invalid}}, "cannot create an application: the API server says Invalid of spec.project, metadata.labels", report.Terminal},
		"Several": {"and how many it is with", []error{&unwritten{"create", "of-vault-2", false, forbidden}, &unwritten{"create", "of-vault-1", false, forbidden}}, "2 times: cannot create an application: the API server says Forbidden", report.Denied},
		"Other":   {"what is no answer", []error{&unwritten{"create", "of-vault-1", false, errors.New("dial vault")}}, "cannot create an application: the API server does not take it", report.Transient},
		"There":   {"the status names what is there", []error{&unwritten{"update", "web", true, errors.New("dial vault-1")}}, "cannot update application web: the API server does not take it", report.Transient},
		"Taken":   {"what is there of that name", []error{stranger(&v1alpha1.Application{}, &made)}, "cannot create an application: there is one of that name, of another project, which no set owns; rename", report.Denied},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			e := &generate.Expansion{Reads: generate.Reads{Clusters: true}}
			err := joins(e)(c.errs)
			if got := report.Classify(err); got != c.class {
				t.Errorf("%s: the class is %q, want %q", c.reason, got, c.class)
			}
			if err == nil {
				return
			}
			if text := err.Error(); !strings.HasPrefix(text, c.want) || strings.Contains(text, "vault") {
				t.Errorf("%s: told %s, want %s", c.reason, text, c.want)
			}
			var log bytes.Buffer
			r := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			r.whole(t.Context(), &v1alpha1.ApplicationSet{}, err)
			if !strings.Contains(log.String(), "vault-1") {
				t.Errorf("%s: the log has %s", c.reason, log.String())
			}
			e.Reads.Clusters = false
			if text := joins(e)(c.errs).Error(); !strings.Contains(text, "vault-1") {
				t.Errorf("%s: where no cluster is read nothing is left out: %s", c.reason, text)
			}
		})
	}
}

// TestStepsNameWhatIsThere: a step may wait for Applications whose names nobody was told.
func TestStepsNameWhatIsThere(t *testing.T) {
	live := map[string]*v1alpha1.Application{"web": {}}
	for name, c := range map[string]struct {
		reason string
		veiled bool
		waits  []string
		want   string
	}{
		"Live":    {"what is there is in the status", true, []string{"web"}, "web"},
		"Both":    {"what is not is counted", true, []string{"of-vault", "web"}, "web and 1 application yet to be created"},
		"Missing": {"also alone", true, []string{"of-vault", "of-bank"}, "2 applications yet to be created"},
		"Own":     {"names from no cluster are told", false, []string{"of-list", "web"}, "of-list, web"},
	} {
		if got := (&roller{veiled: c.veiled, live: live}).names(c.waits); got != c.want {
			t.Errorf("%s: %s: told %s, want %s", name, c.reason, got, c.want)
		}
	}
}
