package azuredevops_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/host/azuredevops"
)

// TestAccessPrintsNoToken: a token is in no text that is made of what has it without thinking of it.
func TestAccessPrintsNoToken(t *testing.T) {
	const planted = "hunter2"
	access := azuredevops.Access{Organization: "acme", Token: planted}
	client, err := azuredevops.New(azuredevops.Options{Access: access, TeamProject: "web"})
	if err != nil {
		t.Fatal(err)
	}
	reviews, err := azuredevops.NewReviews(azuredevops.ReviewOptions{Access: access, Project: "web", Repo: "site"})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{
		"access": access, "pointer": &access, "options": azuredevops.Options{Access: access, TeamProject: "web"},
		"options of reviews": azuredevops.ReviewOptions{Access: access}, "inside": struct{ Of azuredevops.Access }{access},
		"client": client, "reviews": reviews,
	} {
		var logged bytes.Buffer
		slog.New(slog.NewTextHandler(&logged, nil)).Info("it", "value", v)
		for way, text := range map[string]string{"%v": fmt.Sprintf("%v", v), "%+v": fmt.Sprintf("%+v", v), "%#v": fmt.Sprintf("%#v", v), "slog": logged.String()} {
			if strings.Contains(text, planted) || !strings.Contains(text, "acme") {
				t.Errorf("%s by %s: %s", name, way, text)
			}
		}
	}
}
