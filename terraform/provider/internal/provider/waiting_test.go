package provider_test

import (
	"fmt"
	"strings"
	"testing"
)

// waits is longer than the tests have: whoever waits fails.
const waits = "48h"

// waiting has an Application, and data sources that wait for it.
const waiting = `
resource "causeway_application" "shop" {
  name        = "shop"
  project     = "default"
  source      = { repo_url = "https://git.example.com/shop", path = "a" }
  destination = { name = "spoke" }
}
data "causeway_application" "shop" {
  name       = "shop"
  timeout    = "` + waits + `"
  depends_on = [causeway_application.shop]
  %s
}
data "causeway_applications" "all" {
  names      = %s
  timeout    = "` + waits + `"
}
output "one" { value = "${data.causeway_application.shop.health_status} ${data.causeway_application.shop.ready}" }
output "all" { value = data.causeway_applications.all.health_status }
`

const strictly = `lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The shop is not ready."
    }
  }`

// settled is a workspace whose Application was healthy at the last apply.
func settled(t *testing.T) *workspace {
	t.Helper()
	w := newWorkspace(t, fmt.Sprintf(waiting, strictly, "[]"))
	done := make(chan string, 1)
	go func() { // the apply waits for what is done here
		out, _ := w.terraform("apply")
		done <- out
	}()
	w.eventually(func() bool { return w.exists("applications", "shop") })
	w.patch("applications", "shop", `{"status":{"sync":{"status":"Synced"},"health":{"status":"Healthy"}}}`)
	if out := <-done; !strings.Contains(out, "Apply complete") || !strings.Contains(out, `one = "Healthy true"`) {
		t.Fatalf("got %s", out)
	}
	w.quiet("all is healthy")
	return w
}

// A destroy reads data sources before. What it takes away may be broken, and
// what it waited for may be gone.
func TestDestroyDoesNotWait(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(*workspace)
	}{
		"Unhealthy": {"it stays broken", func(w *workspace) {
			w.patch("applications", "shop", `{"status":{"sync":{"status":"OutOfSync"},"health":{"status":"Degraded"}}}`)
		}},
		"Progressing": {"an image that is never there makes progress for long", func(w *workspace) {
			w.patch("applications", "shop", `{"status":{"health":{"status":"Progressing"}}}`)
		}},
		"Absent": {"others took it away, or never made it", func(w *workspace) {
			w.file("case.tf", fmt.Sprintf(waiting, strictly, `["shop", "never-made"]`))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := settled(t)
			tc.change(w)
			if out := w.must("destroy"); !strings.Contains(out, "Destroy complete! Resources: 1 destroyed") {
				t.Errorf("%s: got %s", tc.reason, out)
			}
			if w.exists("applications", "shop") {
				t.Error("the Application is still there")
			}
		})
	}
}

func TestPlanDoesNotWait(t *testing.T) {
	w := settled(t)
	w.patch("applications", "shop", `{"status":{"sync":{"status":"OutOfSync"},"health":{"status":"Degraded"},"conditions":[{"type":"SyncError","message":"denied by the project"}]}}`)
	if out := w.fails("a postcondition is a plan's business", "plan"); !strings.Contains(out, "The shop is not ready") {
		t.Errorf("got %s", out)
	}
	w.file("case.tf", fmt.Sprintf(waiting, "", `["shop", "never-made"]`))
	out := w.changes("the outputs tell of it")
	for _, want := range []string{"Not all Applications are synced and healthy", "shop: sync is OutOfSync; health is Degraded; SyncError: denied by the project", "never-made: it is not there", "does not wait"} {
		if !strings.Contains(out, want) {
			t.Errorf("the plan has no %q:\n%s", want, out)
		}
	}
	w.must("apply")
	if out := w.must("output"); !strings.Contains(out, `one = "Degraded false"`) || !strings.Contains(out, `"never-made" = "Missing"`) {
		t.Errorf("got %s", out)
	}
}
