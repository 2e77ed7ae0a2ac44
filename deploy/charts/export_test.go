package charts

// Texts are the outputs of a release's templates, by their names.
func Texts(r Release) (map[string]string, error) { return r.texts() }
