package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/leash"
)

func TestMain(m *testing.M) {
	if _, err := exec.LookPath("terraform"); err != nil {
		fmt.Println("terraform is not in PATH: the tutorial of the bridge is not played")
		return
	}
	os.Exit(leash.Held(m.Run))
}

// What the fleet consists of before the switch is turned on, and after.
var (
	apps = []string{
		"addons", "workloads", "ingress-hub", "ingress-dev", "ingress-staging", "ingress-prod", "shop-dev", "shop-staging", "shop-prod",
	}
	appsWith = append([]string{"metrics-dev", "metrics-staging"}, apps...)

	deployed = map[string][]string{
		"hub":     {"ingress/ingress 1 of 1"},
		"dev":     {"ingress/ingress 1 of 1", "shop/shop 1 of 1"},
		"staging": {"ingress/ingress 1 of 1", "shop/shop 1 of 1"},
		"prod":    {"ingress/ingress 3 of 3", "shop/shop 4 of 4"},
	}
	deployedWith = map[string][]string{
		"hub":     deployed["hub"],
		"dev":     {"ingress/ingress 1 of 1", "metrics/metrics 1 of 1", "shop/shop 1 of 1"},
		"staging": {"ingress/ingress 1 of 1", "metrics/metrics 1 of 1", "shop/shop 1 of 1"},
		"prod":    deployed["prod"],
	}
)

// TestTutorial types what the page says, in its order.
func TestTutorial(t *testing.T) {
	steps := readPage(t)
	p := newPlace(t)
	looks := p.looks()
	for _, s := range steps {
		start := time.Now()
		ended := func() {}
		if s.name == "destroy" {
			ended = p.watchTheEnd()
		}
		out, err := p.shell(t.Context(), s.text)
		ended()
		t.Logf("%s:%d %s (%s)\n%s", pageName, s.line, s.name, time.Since(start).Round(time.Millisecond), out)
		if err != nil {
			t.Fatalf("%s:%d: %v", pageName, s.line, err)
		}
		if s.prints != "" {
			if err := shows(s.prints, out); err != nil {
				t.Errorf("%s:%d: %v", pageName, s.line, err)
			}
		}
		if look := looks[s.name]; look != nil {
			look(s)
			delete(looks, s.name)
		}
		if t.Failed() {
			return // the next step builds on this one
		}
	}
	for name := range looks {
		t.Errorf("%s has no step %s any more", pageName, name)
	}
}

// looks are what is looked at after a step, by its name.
func (p place) looks() map[string]func(step) {
	is := func(applications []string, deployments map[string][]string) func(step) {
		return func(step) {
			f := p.fleet()
			embeddedtest.Eventually(p.t, func(ctx context.Context) error { return f.differs(ctx, applications, deployments) })
		}
	}
	return map[string]func(step){
		// The apply ended because all was healthy: there is nothing to wait for.
		"apply": func(step) { p.now(apps, deployed) },
		"plan":  func(step) { p.now(apps, deployed) },
		"again": func(step) {
			p.now(apps, deployed)
			p.quiet("-var", "enable_metrics=false")
			p.restart()
			p.quiet("-var", "enable_metrics=false")
		},
		"switch": func(step) {
			p.now(appsWith, deployedWith)
			p.quiet("-var", "enable_metrics=true")
		},
		"back": func(step) {
			f := p.fleet()
			embeddedtest.Eventually(p.t, func(ctx context.Context) error { return f.held(ctx, "metrics", "metrics-dev", "metrics-staging") })
			if got, err := f.deployments(p.t.Context(), "dev"); err != nil || len(got) != len(deployedWith["dev"]) {
				p.t.Errorf("the guard holds the deletion, and dev has %v: %v", got, err)
			}
		},
		"approve": is(apps, deployed),
		"destroy": func(step) { p.nothing() },
	}
}

// now fails unless the fleet is as wanted already. The two roots may still be
// looking at what they made.
func (p place) now(applications []string, deployments map[string][]string) {
	p.t.Helper()
	f := p.fleet()
	for _, cluster := range clusters {
		got, err := f.deployments(p.t.Context(), cluster)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(deployments[cluster]) {
			p.t.Errorf("Deployments of %s are %v, not %v: %v", cluster, got, deployments[cluster], err)
		}
	}
	embeddedtest.Eventually(p.t, func(ctx context.Context) error { return f.differs(ctx, applications, deployments) })
}

// restart stops the clusters and starts them as the page says for a machine
// that was restarted. They have new credentials then.
func (p place) restart() {
	p.t.Helper()
	fleet := "--file causeway.yaml --state-dir .causeway"
	out, err := p.shell(p.t.Context(), inExample+"causeway down "+fleet+"; causeway up "+fleet+" --detach")
	if err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	out, err = p.shell(p.t.Context(), inExample+"terraform apply -auto-approve")
	if err != nil || !strings.Contains(out, "0 added, 3 changed, 0 destroyed") {
		p.t.Errorf("the clusters have new credentials: %v\n%s", err, out)
	}
}

// inExample sets up the shell as the page does.
const inExample = "set -eu; cd examples/bridge; export PATH=$PWD/../../bin:$PATH TF_CLI_CONFIG_FILE=$PWD/../../bin/terraformrc\n"

// quiet fails unless a plan has nothing to do.
func (p place) quiet(args ...string) {
	p.t.Helper()
	if out, err := p.shell(p.t.Context(), inExample+"terraform plan -detailed-exitcode "+strings.Join(args, " ")); err != nil {
		p.t.Errorf("the plan is not empty: %v\n%s", err, out)
	}
}

// watchTheEnd looks at the clusters when Terraform is about to stop them: what
// was deployed has to be gone by then, and not with them. What it returns is
// called when they are stopped.
func (p place) watchTheEnd() func() {
	f := p.fleet()
	hold, asked := filepath.Join(p.dir, "hold"), filepath.Join(p.dir, "asked")
	p.write("hold", "", 0o600)
	left := make(chan error, 1)
	ctx, cancel := context.WithCancel(p.t.Context())
	go func() { // ends with the step
		err := wait.PollUntilContextCancel(ctx, looking, true, func(context.Context) (bool, error) {
			_, err := os.Stat(asked)
			return err == nil, nil
		})
		if err == nil {
			err = f.left(ctx)
		}
		left <- errors.Join(err, os.Remove(hold))
	}()
	return func() {
		cancel()
		if err := <-left; err != nil {
			p.t.Errorf("left when the clusters were to be stopped: %v", err)
		}
	}
}

// looking is how often the test looks whether it is asked.
const looking = 50 * time.Millisecond

// nothing fails when anything is left of the fleet.
func (p place) nothing() {
	p.t.Helper()
	if out, err := p.shell(p.t.Context(), "cd examples/bridge && terraform state list"); err != nil || out != "" {
		p.t.Errorf("the state has %s: %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "examples/bridge/.causeway/bridge")); !os.IsNotExist(err) {
		p.t.Errorf("the clusters' folder is left: %v", err)
	}
}
