package api

import (
	"net/http"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// VersionHeader tells with each answer the version of the rows before it was
// made: who follows changes from a later one has missed some. Nobody in
// particular is not told.
const VersionHeader = "X-Causeway-Version"

// versioned sends it.
func versioned(rows *view.Index, may *reach.Reach, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if may.Known(r.Context()) != nil {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set(VersionHeader, strconv.FormatUint(rows.Now().Version, 10))
		next.ServeHTTP(w, r)
	})
}
