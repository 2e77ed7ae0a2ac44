package reply

import (
	"net/http"
	"slices"
	"strings"
)

// others are forms that clients read besides JSON. What they become cannot be
// told from the text as it passes, so that none is asked for, and none is read.
var others = []string{"protobuf", "cbor", "yaml"}

func isOtherForm(mediaType string) bool {
	mediaType = strings.ToLower(mediaType)
	return slices.ContainsFunc(others, func(form string) bool { return strings.Contains(mediaType, form) })
}

// inJSON is a request that takes no other form.
func inJSON(r *http.Request) *http.Request {
	accept := r.Header.Get("Accept")
	if !isOtherForm(accept) {
		return r
	}
	forms := slices.DeleteFunc(strings.Split(accept, ","), isOtherForm)
	if len(forms) == 0 {
		forms = []string{"application/json"}
	}
	r = r.Clone(r.Context())
	r.Header.Set("Accept", strings.Join(forms, ","))
	return r
}
