package encryption

import (
	"fmt"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiserver "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"sigs.k8s.io/yaml"
)

// Names of plugins. They are part of what is stored, so they stay.
const (
	ownPlugin    = "causeway-kube"
	othersPlugin = "kms"
)

// timeout of a call to a plugin: a new key of a manager that is far away may take a while.
const timeout = 5 * time.Second

// configuration is what the API server reads: who encrypts comes first, and all who may have done so before come after.
func configuration(c Config, own string) ([]byte, error) {
	identity := apiserver.ProviderConfiguration{Identity: &apiserver.IdentityConfiguration{}}
	var providers []apiserver.ProviderConfiguration
	if c.Mode == Off && c.Socket == "" {
		providers = append(providers, identity)
	}
	if c.Socket != "" {
		path, err := filepath.Abs(c.Socket)
		if err != nil {
			return nil, fmt.Errorf("cannot use the socket %s: %w", c.Socket, err)
		}
		providers = append(providers, plugin(othersPlugin, path))
	}
	if own != "" {
		providers = append(providers, plugin(ownPlugin, own))
	}
	if c.Mode != Off || c.Socket != "" {
		providers = append(providers, identity) // of clusters that were there before Secrets were encrypted
	}
	return yaml.Marshal(apiserver.EncryptionConfiguration{
		TypeMeta:  metav1.TypeMeta{APIVersion: apiserver.SchemeGroupVersion.String(), Kind: "EncryptionConfiguration"},
		Resources: []apiserver.ResourceConfiguration{{Resources: []string{"secrets"}, Providers: providers}},
	})
}

func plugin(name, socket string) apiserver.ProviderConfiguration {
	return apiserver.ProviderConfiguration{KMS: &apiserver.KMSConfiguration{
		APIVersion: "v2", Name: name, Endpoint: "unix://" + socket, Timeout: &metav1.Duration{Duration: timeout},
	}}
}
