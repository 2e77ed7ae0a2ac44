package gcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// metadata is what the machine of the engine is told of itself, and by whom. No store
// decides where that is asked for.
func metadata(ctx context.Context, path string) (text, server string, err error) {
	const patience, most = 2 * time.Second, 4 << 10
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	host := cmp.Or(os.Getenv("GCE_METADATA_HOST"), "metadata.google.internal")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+path, nil) //nolint:gosec // the environment is the one of the engine
	if err != nil {
		return "", "", errors.New("GCE_METADATA_HOST is no address")
	}
	r.Header.Set("Metadata-Flavor", "Google")
	transport := &http.Transport{DisableKeepAlives: true}
	got, err := transport.RoundTrip(r)
	if err != nil {
		return "", "", errors.New("there is no metadata server")
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, most))
	if err != nil || got.StatusCode != http.StatusOK {
		return "", "", fmt.Errorf("the metadata server answers %d %s", got.StatusCode, http.StatusText(got.StatusCode))
	}
	return strings.TrimSpace(string(body)), got.Header.Get("Server"), nil
}

// ofPod reports whether the metadata server tells pods apart, as that of GKE does with
// workload identity. That of machines calls itself otherwise.
// https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity#metadata_server.
func ofPod(ctx context.Context) bool {
	_, server, err := metadata(ctx, "/")
	return err == nil && strings.HasPrefix(server, "GKE Metadata Server")
}

// located is a service account with its cluster, which that of the engine need not say.
func (f Factory) located(ctx context.Context, of OfGKE, around store.Around) (OfGKE, error) {
	if of.ClusterName != "" && of.ClusterLocation != "" || !around.Engine || f.Metadata == nil {
		return of, nil
	}
	for _, one := range []struct {
		field *string
		path  string
	}{
		{&of.ClusterName, "instance/attributes/cluster-name"}, {&of.ClusterLocation, "instance/attributes/cluster-location"}, {&of.ClusterProjectID, "project/project-id"},
	} {
		if *one.field != "" {
			continue
		}
		text, err := f.Metadata(ctx, one.path)
		if err != nil {
			return of, fmt.Errorf("set clusterName, clusterLocation and clusterProjectID: %w", err)
		}
		*one.field = text
	}
	return of, nil
}
