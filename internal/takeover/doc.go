// Package takeover judges what it means to put this engine in the place of
// Argo CD: what is taken over as it is, what differs, what is not there, and
// whether the applications are as well off afterwards as before. It works on
// values; who reads clusters, renders and scales stands above it.
package takeover
