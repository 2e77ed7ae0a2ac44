package aws

import (
	"errors"
	"fmt"
	"regexp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Name of the provider in a SecretStore.
const Name = "aws"

// Config is what a SecretStore says of it.
type Config struct {
	// Service is SecretsManager or ParameterStore.
	Service string `json:"service"`
	Region  string `json:"region"`
	Auth    Auth   `json:"auth,omitzero"`
	// Prefix is put before each key, and searches find nothing without it.
	Prefix string `json:"prefix,omitempty"`

	// AdditionalRoles are assumed one after the other, and Role after these: their ARNs.
	AdditionalRoles []string `json:"additionalRoles,omitempty"`
	Role            string   `json:"role,omitempty"`
	// ExternalID, SessionTags and TransitiveTagKeys are told where Role is assumed, and
	// count for nothing without it, as with the operator.
	ExternalID        string   `json:"externalID,omitempty"`
	SessionTags       []Tag    `json:"sessionTags,omitempty"`
	TransitiveTagKeys []string `json:"transitiveTagKeys,omitempty"`
	// SecretsManager says how secrets are deleted that PushSecrets made.
	SecretsManager *DeletionOfSecrets `json:"secretsManager,omitempty"`
	// SessionTagsPolicy would add tags of the object that asks.
	SessionTagsPolicy string `json:"sessionTagsPolicy,omitempty"`
}

// DeletionOfSecrets is at once, or after so many days; AWS's own 30 when both are empty.
type DeletionOfSecrets struct {
	ForceDeleteWithoutRecovery bool  `json:"forceDeleteWithoutRecovery,omitempty"`
	RecoveryWindowInDays       int64 `json:"recoveryWindowInDays,omitempty"`
}

// Tag is one of a session.
type Tag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Auth says who asks. Of both, the token counts; without any, it is the engine itself.
type Auth struct {
	SecretRef *Keys       `json:"secretRef,omitempty"`
	JWT       *TokenOfAWS `json:"jwt,omitempty"`
}

// Keys are of a user, or of a session.
type Keys struct {
	AccessKeyID     esv1.SecretKeySelector  `json:"accessKeyIDSecretRef"`
	SecretAccessKey esv1.SecretKeySelector  `json:"secretAccessKeySecretRef"`
	SessionToken    *esv1.SecretKeySelector `json:"sessionTokenSecretRef,omitempty"`
}

// TokenOfAWS is a service account's, whose annotation names a role.
type TokenOfAWS struct {
	ServiceAccountRef *esv1.ServiceAccountSelector `json:"serviceAccountRef,omitempty"`
}

// Services that a store may be of.
const (
	secretsManager = "SecretsManager"
	parameterStore = "ParameterStore"
)

// regions are part of the names of AWS's servers: what is none would name other servers.
var regions = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (c Config) check() error {
	switch {
	case c.Service != secretsManager && c.Service != parameterStore:
		return fmt.Errorf("service %q is neither %s nor %s", c.Service, secretsManager, parameterStore)
	case c.SessionTagsPolicy != "" && c.SessionTagsPolicy != "None":
		return fmt.Errorf("sessionTagsPolicy %q is not supported yet: use sessionTags", c.SessionTagsPolicy)
	}
	return checkRegion(c.Region)
}

func checkRegion(region string) error {
	switch {
	case region == "":
		return errors.New("region is empty: set it, such as eu-central-1")
	case !regions.MatchString(region):
		return fmt.Errorf("region %q is none, such as eu-central-1", region)
	}
	return nil
}
