package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestGetSources(t *testing.T) {
	one, two := ApplicationSource{RepoURL: "one"}, ApplicationSource{RepoURL: "two"}
	cases := map[string]struct {
		reason string
		spec   ApplicationSpec
		want   ApplicationSources
		many   bool
	}{
		"None":   {reason: "a spec without sources has none", spec: ApplicationSpec{}},
		"Source": {reason: "the one source counts when there are no sources", spec: ApplicationSpec{Source: &one}, want: ApplicationSources{one}},
		"Sources": {reason: "sources hide source, even a single one",
			spec: ApplicationSpec{Source: &one, Sources: ApplicationSources{two}}, want: ApplicationSources{two}, many: true},
		"EmptySources": {reason: "an empty list does not hide source",
			spec: ApplicationSpec{Source: &one, Sources: ApplicationSources{}}, want: ApplicationSources{one}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.spec.GetSources()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if got := tc.spec.HasMultipleSources(); got != tc.many {
				t.Errorf("%s: HasMultipleSources() = %t", tc.reason, got)
			}
		})
	}
}

func TestSpecDefaults(t *testing.T) {
	three, negative := int64(3), int64(-1)
	cases := map[string]struct {
		reason  string
		spec    ApplicationSpec
		project string
		limit   int
	}{
		"Absent":   {reason: "what is absent has a default", spec: ApplicationSpec{}, project: "default", limit: 10},
		"Present":  {reason: "what is present counts", spec: ApplicationSpec{Project: "p", RevisionHistoryLimit: &three}, project: "p", limit: 3},
		"Negative": {reason: "a negative limit keeps nothing", spec: ApplicationSpec{RevisionHistoryLimit: &negative}, project: "default", limit: 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.spec.GetProject(); got != tc.project {
				t.Errorf("%s: GetProject() = %q, want %q", tc.reason, got, tc.project)
			}
			if got := tc.spec.GetRevisionHistoryLimit(); got != tc.limit {
				t.Errorf("%s: GetRevisionHistoryLimit() = %d, want %d", tc.reason, got, tc.limit)
			}
		})
	}
}

func TestDestinationEqual(t *testing.T) {
	cases := map[string]struct {
		reason string
		a, b   ApplicationDestination
		want   bool
	}{
		"Slash":     {reason: "a trailing slash of the address does not count", a: ApplicationDestination{Server: "https://c/"}, b: ApplicationDestination{Server: "https://c"}, want: true},
		"Namespace": {reason: "the namespace counts", a: ApplicationDestination{Namespace: "a"}, b: ApplicationDestination{Namespace: "b"}},
		"Name":      {reason: "the name counts", a: ApplicationDestination{Name: "a"}, b: ApplicationDestination{Server: "a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.a.Equal(tc.b); got != tc.want {
				t.Errorf("%s: Equal() = %t", tc.reason, got)
			}
		})
	}
}

func TestRefreshRequested(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        RefreshType
		asked       bool
	}{
		"Absent": {reason: "nothing asks for nothing"},
		"Normal": {reason: "normal is normal", annotations: map[string]string{AnnotationRefresh: "normal"}, want: RefreshTypeNormal, asked: true},
		"Hard":   {reason: "hard is hard", annotations: map[string]string{AnnotationRefresh: "hard"}, want: RefreshTypeHard, asked: true},
		"Other":  {reason: "an unknown value is still a request", annotations: map[string]string{AnnotationRefresh: "true"}, want: RefreshTypeNormal, asked: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &Application{ObjectMeta: metav1.ObjectMeta{Annotations: tc.annotations}}
			got, asked := app.RefreshRequested()
			if got != tc.want || asked != tc.asked {
				t.Errorf("%s: RefreshRequested() = %q, %t", tc.reason, got, asked)
			}
		})
	}
}
