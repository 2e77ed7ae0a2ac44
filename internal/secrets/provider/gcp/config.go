package gcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Name of the provider in a SecretStore.
const Name = "gcpsm"

// Config is what a SecretStore says of it.
type Config struct {
	ProjectID string `json:"projectID,omitempty"`
	// Location is a region whose entries stay there; without one, they are global.
	Location string `json:"location,omitempty"`
	Auth     Auth   `json:"auth,omitzero"`
	// VersionSelection says what is read where the latest version is not enabled: one of
	// the words below, LatestOrFail without one.
	VersionSelection string `json:"secretVersionSelectionPolicy,omitempty"`
}

// Words of Config.VersionSelection: nothing, or the newest version that is enabled.
const (
	latestOrFail  = "LatestOrFail"
	latestOrFetch = "LatestOrFetch"
)

// Auth says who asks: the first of these. Without any, it is the engine itself.
type Auth struct {
	SecretRef                  *Key        `json:"secretRef,omitempty"`
	WorkloadIdentity           *OfGKE      `json:"workloadIdentity,omitempty"`
	WorkloadIdentityFederation *Federation `json:"workloadIdentityFederation,omitempty"`
}

// Key is the JSON of a service account of Google.
type Key struct {
	SecretAccessKey esv1.SecretKeySelector `json:"secretAccessKeySecretRef"`
}

// OfGKE is a service account of a cluster, which Google knows as one of that cluster.
type OfGKE struct {
	ServiceAccountRef esv1.ServiceAccountSelector `json:"serviceAccountRef"`
	ClusterLocation   string                      `json:"clusterLocation,omitempty"`
	ClusterName       string                      `json:"clusterName,omitempty"`
	// ClusterProjectID is that of the store without one.
	ClusterProjectID string `json:"clusterProjectID,omitempty"`
}

// Federation is a service account of any cluster, whose tokens a workload identity pool
// trusts.
type Federation struct {
	ServiceAccountRef *esv1.ServiceAccountSelector `json:"serviceAccountRef,omitempty"`
	// Audience is the name of the pool's provider: //iam.googleapis.com/projects/….
	Audience string `json:"audience,omitempty"`
	// GCPServiceAccountEmail is whom the service account then acts for.
	GCPServiceAccountEmail string `json:"gcpServiceAccountEmail,omitempty"`

	CredConfig             json.RawMessage `json:"credConfig,omitempty"`
	AWSSecurityCredentials json.RawMessage `json:"awsSecurityCredentials,omitempty"`
	ExternalTokenEndpoint  string          `json:"externalTokenEndpoint,omitempty"`
}

// What parts of addresses and names may be: anything else would lead elsewhere.
var (
	projects  = regexp.MustCompile(`^[a-z0-9][a-z0-9.:\-]*$`)
	locations = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	accounts  = regexp.MustCompile(`^[A-Za-z0-9._\-]+@[A-Za-z0-9.\-]+$`)
)

func (c Config) check() error {
	switch {
	case c.ProjectID == "":
		return errors.New("projectID is empty: set it")
	case !projects.MatchString(c.ProjectID):
		return fmt.Errorf("projectID %q is none", c.ProjectID)
	case c.Location != "" && !locations.MatchString(c.Location):
		return fmt.Errorf("location %q is none, such as europe-west3", c.Location)
	case c.VersionSelection != "" && c.VersionSelection != latestOrFail && c.VersionSelection != latestOrFetch:
		return fmt.Errorf("secretVersionSelectionPolicy %q is neither %s nor %s", c.VersionSelection, latestOrFail, latestOrFetch)
	}
	return nil
}

// pool is the audience of tokens of a cluster of GKE, and what Google calls who has one.
func (g OfGKE) pool(project string) (audience, identity string, err error) {
	if g.ClusterProjectID != "" {
		project = g.ClusterProjectID
	}
	switch {
	case g.ClusterName == "" || g.ClusterLocation == "":
		return "", "", errors.New("set clusterName and clusterLocation: the engine does not run in this cluster, or it is none of GKE")
	case !projects.MatchString(project):
		return "", "", fmt.Errorf("clusterProjectID %q is none", project)
	case !locations.MatchString(g.ClusterName) || !locations.MatchString(g.ClusterLocation):
		return "", "", fmt.Errorf("clusterName %q or clusterLocation %q is none", g.ClusterName, g.ClusterLocation)
	}
	audience = project + ".svc.id.goog"
	return audience, fmt.Sprintf("identitynamespace:%s:https://container.googleapis.com/v1/projects/%s/locations/%s/clusters/%s",
		audience, project, g.ClusterLocation, g.ClusterName), nil
}

// check is an error of what leads to files, programs or addresses of the engine's machine.
func (f Federation) check() error {
	switch {
	case len(f.CredConfig) > 0 || len(f.AWSSecurityCredentials) > 0 || f.ExternalTokenEndpoint != "":
		return errors.New("credConfig, awsSecurityCredentials and externalTokenEndpoint are not supported: use serviceAccountRef and audience")
	case f.ServiceAccountRef == nil:
		return errors.New("set serviceAccountRef")
	case f.Audience == "":
		return errors.New("set audience: //iam.googleapis.com/ and the name of the workload identity pool's provider")
	}
	return nil
}
