package clustermetadata

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// isRefusal reports whether the API server answers and does not take this write: it
// is not valid, too large, or admission is against it or fails. That is a matter
// of one Secret. An API server that is busy, away or does not know the engine
// says nothing of the Secret.
func isRefusal(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	switch code := status.Status().Code; code {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return code >= http.StatusBadRequest && code <= http.StatusInternalServerError
	}
}

// refusal is short: what the API server says of a Secret that is not valid may
// name all that is wrong with it.
func refusal(err error) string {
	switch {
	case apierrors.IsInvalid(err), apierrors.IsRequestEntityTooLargeError(err):
		return "the Secret does not take the values: its metadata would be too large (Kubernetes takes 256 KiB of annotations), or not valid; take annotations or labels off it"
	case apierrors.IsForbidden(err):
		return "the write is forbidden, by admission or the rights of the engine: " + gitops.First(err.Error(), mostSaid)
	}
	return "the API server does not take the write: " + gitops.First(err.Error(), mostSaid)
}

// mostSaid bounds what a status repeats of an API server's or webhook's words, in bytes.
const mostSaid = 512
