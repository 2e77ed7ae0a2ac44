package v1alpha1

import "strconv"

// SkipsReconcile reports whether annotations have what they are on left alone:
// an Application, or a cluster Secret with all that goes to its cluster. As in
// Argo CD any spelling of true counts, such as 1 or True.
func SkipsReconcile(annotations map[string]string) bool {
	skips, err := strconv.ParseBool(annotations[AnnotationSkipReconcile])
	return err == nil && skips
}
