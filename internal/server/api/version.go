package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// VersionHeader tells with each answer up to which moment it has at least the
// changes that its reader may see: who follows changes from a later one has missed
// some. Nobody in particular is not told.
const VersionHeader = "X-Causeway-Version"

// versioned sends it.
func versioned(may *reach.Reach, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at, err := placeSoon(r.Context(), may); err == nil {
			w.Header().Set(VersionHeader, numberOf(at.Moment))
		}
		next.ServeHTTP(w, r)
	})
}

// placeTime is how long an answer waits for its header.
const placeTime = time.Second

func placeSoon(ctx context.Context, may *reach.Reach) (view.Place, error) {
	ctx, cancel := context.WithTimeout(ctx, placeTime)
	defer cancel()
	return may.Place(ctx)
}

func numberOf(m view.Moment) string { return strconv.FormatUint(uint64(m), 10) }
