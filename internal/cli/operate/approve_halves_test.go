package operate

import (
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// both holds two deletions, and a third asks; a sync of it goes on.
func both(a *v1alpha1.Application) {
	holding(a)
	asking(a)
}

// TestBothListsAreApproved, or the one whose digest is given. Where the second is refused, it is told that the first holds.
func TestBothListsAreApproved(t *testing.T) {
	held, one := guard.Digest([]string{"/ConfigMap:shop/a", "/ConfigMap:shop/b"}), guard.Digest([]string{"/PersistentVolumeClaim:shop/data"})
	approve, confirm := "POST "+ofShop+`/approve {"digest":"`+held+`","minutes":60}`, "POST "+ofShop+`/confirm {"digest":"`+one+`"}`
	refused := clitest.Refusal{Status: 403, Detail: "the list has changed"}
	cases := map[string]struct {
		reason, args string
		confirmed    any
		code         int
		says, asked  string
	}{
		"both":        {"one after the other", "--yes", nil, command.ExitFine, "; 1 deletion confirmed\n", approve + "; " + confirm},
		"held":        {"only that", "--yes --digest " + held, nil, command.ExitFine, "shop: approved until ", approve},
		"asking":      {"only that", "--yes --digest confirm:" + one, nil, command.ExitFine, "shop: 1 deletion confirmed\n", confirm},
		"nobody":      {"the first of them is named, as both have no digest together", "", nil, command.ExitUsage, "add --yes --digest " + held, ""},
		"half":        {"what was approved is", "--yes", refused, command.ExitFailed, "; cannot confirm the deletions that ask: ", approve + "; " + confirm},
		"half, alone": {"nothing was", "--yes --digest confirm:" + one, refused, command.ExitFailed, "Error: cannot confirm the deletions that ask: ", confirm},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Settled(both)), "POST " + ofShop + "/approve": nil, "POST " + ofShop + "/confirm": c.confirmed})
			got := clitest.Run(t, NewApprove, append(strings.Fields(c.args), "shop", "--server", d.URL)...)
			got.Says(t, c.reason, c.code, c.says)
			if asked := strings.Join(d.Asked(), "; "); asked != c.asked {
				t.Errorf("%s: asked %s, want %s", c.reason, asked, c.asked)
			}
			if strings.Contains(got.Out, "now sync again") {
				t.Errorf("%s: a sync goes on already: %s", c.reason, got.Out)
			}
		})
	}
}

// TestWhoseDeletionsAreApproved: an application whose namespace is called like a word for applications is named by that
// word before it, and no namesake is meant.
func TestWhoseDeletionsAreApproved(t *testing.T) {
	var apps []*v1alpha1.Application
	for _, namespace := range []string{"argocd", "app", "application", "set"} {
		a := clitest.Settled(holding)
		a.Namespace = namespace
		apps = append(apps, a)
	}
	for name, namespace := range map[string]string{"shop": "argocd", "app/shop": "argocd", "application/shop": "argocd", "app/application/shop": "application", "application/app/shop": "app", "app/set/shop": "set"} {
		d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(apps...), "POST /": nil})
		clitest.Run(t, NewApprove, name, "--yes", "--server", d.URL).Says(t, name, command.ExitFine)
		if asked := strings.Join(d.Asked(), "; "); !strings.HasPrefix(asked, "POST /api/v1/applications/"+namespace+"/shop/approve ") {
			t.Errorf("%s: asked %s", name, asked)
		}
	}
}

// TestApprovalsAtAHub are written into the application for exactly the list that is held, with their end and who gave them.
func TestApprovalsAtAHub(t *testing.T) {
	review := authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{Username: "ann"}}}
	kubeconfig, d := hub(t, map[string]any{"POST /apis/authentication.k8s.io/v1/selfsubjectreviews": review}, named("shop", both))
	clitest.Run(t, NewApprove, "shop", "--yes", "--for", "10m", "--kubeconfig", kubeconfig).Says(t, "both", command.ExitFine, "shop: approved until ", "; 1 deletion confirmed\n")
	got := patches(d)
	if len(got) != 2 || !strings.Contains(got[0], guard.Digest([]string{"/ConfigMap:shop/a", "/ConfigMap:shop/b"})+";until=") || !strings.Contains(got[0], ";by=ann") || !strings.Contains(got[1], v1alpha1.AnnotationDeletionApproved) {
		t.Errorf("wrote %q", got)
	}
}
