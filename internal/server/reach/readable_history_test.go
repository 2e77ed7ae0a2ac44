package reach

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// An Application that was made again, or was in another project, has a past that is not of
// whoever may read it now.
func TestWhosePastASyncIs(t *testing.T) {
	web := &view.Row{Namespace: "argocd", Name: "web", Project: "shop", UID: "now"}
	own := history.App{Namespace: "argocd", Name: "web", UID: "now"}
	for name, tc := range map[string]struct {
		reason, who string
		app         history.App
		project     string
		want        bool
	}{
		"Own":             {"of this one, in its project", "reader", own, "shop", true},
		"Other name":      {"of another one", "overseer", history.App{Namespace: "argocd", Name: "dns", UID: "now"}, "shop", false},
		"Other namespace": {"or one in another namespace", "overseer", history.App{Namespace: "team", Name: "web", UID: "now"}, "shop", false},
		"Made again":      {"of one that had the name before", "overseer", history.App{Namespace: "argocd", Name: "web", UID: "before"}, "shop", false},
		"Moved":           {"from when it was in a project that they may not read", "reader", own, "ops", false},
		"Moved, read":     {"which others may", "overseer", own, "ops", true},
		"Old":             {"of which no UID is known, in its project", "reader", history.App{Namespace: "argocd", Name: "web"}, "shop", true},
		"Old, moved":      {"and in another one of nobody knows which Application", "overseer", history.App{Namespace: "argocd", Name: "web"}, "ops", false},
		"No project":      {"nobody knows who may read it", "overseer", own, "", false},
	} {
		r, _ := world()
		got, err := r.Past().Has(as(t.Context(), tc.who), web, &history.Sync{App: tc.app, Project: tc.project})
		if got != tc.want || err != nil {
			t.Errorf("%s: %s: %t, %v", name, tc.reason, got, err)
		}
	}
}

// A project is asked about once for a request, however many syncs were in it; that nobody
// knows yet is no answer, and is asked again.
func TestThePastAsksOnce(t *testing.T) {
	web := &view.Row{Namespace: "argocd", Name: "web", Project: "shop"}
	r, b := world()
	rights := &counted{}
	r.rights = rights
	past, ctx := r.Past(), as(t.Context(), "reader")
	for range 3 {
		for _, project := range []string{"ops", "bank", "shop"} {
			if may, err := past.In(ctx, web, project); err != nil || may != (project == "shop") {
				t.Errorf("in %s: %t, %v", project, may, err)
			}
		}
	}
	if rights.questions != 2 || len(b.lines) > 0 {
		t.Errorf("%d questions are asked, and the audit has %v", rights.questions, b.lines)
	}
	r.rights = busy{}
	past = r.Past()
	for range 2 {
		if may, err := past.In(ctx, web, "ops"); may || !errors.Is(err, errBusy) {
			t.Errorf("while nobody knows: %t, %v", may, err)
		}
	}
	if may, err := past.In(Patiently(ctx), web, "ops"); may || err != nil {
		t.Errorf("once it is known: %t, %v", may, err)
	}
}
