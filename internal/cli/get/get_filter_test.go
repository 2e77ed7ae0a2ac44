package get

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

func TestApplicationsAreFilteredAsInTheBrowser(t *testing.T) {
	app, apps := clitest.Shop(), applicationKind()
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
