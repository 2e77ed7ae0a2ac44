package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestApplicationsAreFilteredAsInTheBrowser(t *testing.T) {
	app, apps := shop(), applicationKind()
	app.Labels = map[string]string{"team": "web"}
	app.Status.Health.Status = v1alpha1.HealthStatusDegraded
	app.Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync
	tests := map[string]struct {
		reason string
		flags  string
		want   bool
	}{
		"All":     {"nothing is asked", "", true},
		"Health":  {"one of several", "--health=Missing,Degraded", true},
		"Healthy": {"another one", "--health=Healthy", false},
		"Both":    {"all filters hold", "--health=Degraded --sync=Synced", false},
		"Cluster": {"the cluster as it is shown", "--cluster=dev", true},
		"Text":    {"words in any case, a label's too", "--search=SHOP team=web", true},
		"NoText":  {"every word has to occur", "--search=shop other", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			all, f := pflag.NewFlagSet("get", pflag.ContinueOnError), &appFilter{}
			f.register(all)
			args := strings.Split(tc.flags, " --")
			for i := 1; i < len(args); i++ {
				args[i] = "--" + args[i]
			}
			if err := all.Parse(args); err != nil {
				t.Fatal(err)
			}
			wanted, err := f.compile(apps)
			if got := err == nil && (wanted == nil || wanted(app, "dev")); got != tc.want {
				t.Errorf("%s: %v, not %v; %v", tc.reason, got, tc.want, err)
			}
		})
	}
}

func TestFiltersThatCannotBeMeantAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		"get apps --health=Sick":                   "Degraded",
		"get clusters --health=Degraded":           "causeway get apps",
		"why shop -N team-a --value image.tag":     "--app-namespace",
		"why shop/Deployment/web -N team-a/team-b": "is no namespace",
	} {
		if got := command(t, strings.Fields(args)...); got.code != exitUsage || !strings.Contains(got.errors, want) {
			t.Errorf("causeway %s: %d, %q does not name %q", args, got.code, got.errors, want)
		}
	}
}

func TestAServersFiltersAndPods(t *testing.T) {
	_, url := newDesk(t)
	for args, want := range map[string]string{
		"get apps --search=shop -o name": "application.argoproj.io/shop\n",
		"get apps --cluster=elsewhere":   "",
		"logs shop --pod=web-1":          "[web-1/web] started\n",
	} {
		if got := asks(t, append(strings.Fields(args), "--server", url)...); got.code != exitFine || got.out != want {
			t.Errorf("causeway %s: %d\n%s%s", args, got.code, got.out, got.errors)
		}
	}
	if got := asks(t, "logs", "shop", "--pod", "web-2", "--server", url); got.code != exitFailed || !strings.Contains(got.errors, "has no pod web-2") {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
}
