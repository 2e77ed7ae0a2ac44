package offline

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// TestParamsOfASide: a side goes by the ConfigMap argocd-cmd-params-cm that it declares, of
// several by the last, as by argocd-cm.
func TestParamsOfASide(t *testing.T) {
	params := func(value string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + v1alpha1.ParamsName + "}\ndata: {" + v1alpha1.ParamDoublestarFiles + ": '" + value + "'}\n"
	}
	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		want   bool
	}{
		"None":  {"nothing is said", map[string]string{"settings.yaml": settingsOf("1")}, false},
		"True":  {"files are matched by path globs", map[string]string{"params.yaml": params("true")}, true},
		"False": {"it is said that they are not", map[string]string{"params.yaml": params("false")}, false},
		"Last":  {"the last one counts", map[string]string{"a.yaml": params("false"), "b.yaml": params("true")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := opened(t, Config{Repo: committed(t, tc.files)})
			side, err := o.Side(t.Context(), "HEAD", roster.Roster{}, "main")
			if err != nil || side.DoublestarFiles != tc.want {
				t.Errorf("%s: by path globs: %t, %v", tc.reason, side.DoublestarFiles, err)
			}
		})
	}
}
