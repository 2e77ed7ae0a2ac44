package v1alpha1

import "testing"

func TestSkipsReconcile(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "True": true, "1": true, "t": true, "false": false, "": false, "yes": false, "0": false} {
		if got := SkipsReconcile(map[string]string{AnnotationSkipReconcile: value}); got != want {
			t.Errorf("%q skips: %v; Argo CD reads it as strconv.ParseBool does", value, got)
		}
	}
	if SkipsReconcile(nil) {
		t.Error("without the annotation nothing is left alone")
	}
}
