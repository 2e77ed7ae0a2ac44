package difference

import (
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestFieldText(t *testing.T) {
	usual := fieldpath.MakePathOrDie("spec", "template", fieldpath.KeyByFields("name", "web"), "image")
	if got := fieldText(usual); got != `spec.template[name="web"].image` || got != strings.TrimPrefix(usual.String(), ".") {
		t.Errorf("a usual path is told as %q", got)
	}
	long := fieldpath.MakePathOrDie("spec", strings.Repeat("k", 1<<20), fieldpath.KeyByFields("name", strings.Repeat("v", 1<<20)), "image")
	if got := fieldText(long); len(got) > 1<<10 || !strings.HasPrefix(got, "spec.kkk") || !strings.Contains(got, "…") {
		t.Errorf("a path of long keys is told with %d bytes", len(got))
	}
}
