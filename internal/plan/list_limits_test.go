package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestListsAreBounded: one line of a file is one value, and each two bytes of it would be a warning.
func TestListsAreBounded(t *testing.T) {
	for _, annotation := range []string{
		gitops.AnnotationSync, gitops.AnnotationCompare, gitops.AnnotationHook, gitops.AnnotationHookDelete, "helm.sh/hook", "helm.sh/hook-delete-policy",
		difference.AnnotationIgnore,
	} {
		t.Run(annotation, func(t *testing.T) {
			for name, list := range map[string]string{"words": strings.Repeat("a,", 100_000), "bytes": strings.Repeat("a", 100_000)} {
				_, err := plan.Desired(plan.Want{
					App: application(), TrackingName: "app", Scope: scope,
					Manifests: manifests(t, cm("a", ", annotations: {"+annotation+": '"+list+"'}")),
				})
				if err == nil || !strings.Contains(err.Error(), annotation) || !strings.Contains(err.Error(), "file0.yaml") || len(err.Error()) > 500 {
					t.Errorf("many %s: %v", name, err)
				}
			}
		})
	}
	for name, options := range map[string][]string{"many": slices.Repeat([]string{"a"}, 101), "long": {strings.Repeat("a", 100_000)}} {
		_, err := plan.Desired(plan.Want{App: application(), TrackingName: "app", Scope: scope, Options: options})
		if err == nil || !strings.Contains(err.Error(), "sync options of the Application") || len(err.Error()) > 500 {
			t.Errorf("%s options of the Application: %v", name, err)
		}
	}
}

// TestWarningsOfManyObjectsAreFew: lists that are short enough are in very many objects.
func TestWarningsOfManyObjectsAreFew(t *testing.T) {
	var texts []string
	words := strings.Repeat("a,", 90)
	for i := range 50 {
		texts = append(texts, cm(fmt.Sprint("a", i), fmt.Sprintf(", annotations: {%s: '%s', %s: '%s'}", gitops.AnnotationSync, words, gitops.AnnotationCompare, words)))
	}
	s := desired(t, application(), texts...)
	last := s.Warnings[len(s.Warnings)-1]
	if len(s.Warnings) != 101 || last.More != 50*2*90-100 {
		t.Errorf("%d warnings, the last one is %+v", len(s.Warnings), last)
	}
}

// TestLongWavesAreNotRepeated: what is no number can be as long as its file.
func TestLongWavesAreNotRepeated(t *testing.T) {
	s := desired(t, application(), cm("a", ", annotations: {"+gitops.AnnotationWave+": '"+strings.Repeat("a", 100_000)+"'}"))
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, "the sync wave of 100000 bytes is not a whole number") || len(s.Warnings[0].Message) > 200 {
		t.Errorf("%d warnings", len(s.Warnings))
	}
}
