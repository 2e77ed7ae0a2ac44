package gcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"path"

	"google.golang.org/api/secretmanager/v1"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Read is the value of a secret, of its latest version or the one that is asked for.
func (p *Provider) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	at, err := p.config.place(ref.Key, ref.Version)
	if err != nil {
		return entry.Entry{}, err
	}
	if ref.Metadata {
		return p.labels(ctx, at)
	}
	out, err := p.access(ctx, at)
	var told *told
	if at.version == "" && p.config.VersionSelection == latestOrFetch && errors.As(err, &told) && told.said != nil && told.said.unready() {
		if at.version, err = p.enabled(ctx, at); err == nil {
			out, err = p.access(ctx, at)
		}
	}
	if err != nil {
		return entry.Entry{}, absent(err)
	}
	value, err := valueOf(at, out)
	if err != nil {
		return entry.Entry{}, err
	}
	return entry.Object(value).At(path.Base(out.Name)), nil
}

func (p *Provider) access(ctx context.Context, at place) (*secretmanager.AccessSecretVersionResponse, error) {
	return ask(ctx, p, "read "+at.String(), func(ctx context.Context) (*secretmanager.AccessSecretVersionResponse, error) {
		return p.service.Projects.Secrets.Versions.Access(at.name() + "/versions/" + cmp.Or(at.version, latest)).Context(ctx).Do()
	})
}

const latest = "latest"

// enabled is the newest version that is: lists begin with the newest one.
func (p *Provider) enabled(ctx context.Context, at place) (string, error) {
	out, err := ask(ctx, p, "list the versions of "+at.String(), func(ctx context.Context) (*secretmanager.ListSecretVersionsResponse, error) {
		return p.service.Projects.Secrets.Versions.List(at.name()).Filter("state:ENABLED").PageSize(1).Context(ctx).Do()
	})
	switch {
	case err != nil:
		return "", err
	case len(out.Versions) == 0 || out.Versions[0] == nil || !parts.MatchString(path.Base(out.Versions[0].Name)):
		return "", fmt.Errorf("cannot read %s: no version is enabled", at)
	}
	return path.Base(out.Versions[0].Name), nil
}

// valueOf is what an answer has. Google tells a sum of it, and keeps no empty values: of
// a field that is not there, half an answer is as good as a whole one.
func valueOf(at place, out *secretmanager.AccessSecretVersionResponse) ([]byte, error) {
	if out.Payload == nil || out.Payload.Data == "" || out.Name == "" {
		return nil, fmt.Errorf("cannot read %s: the answer has no value", at)
	}
	value, err := base64.StdEncoding.DecodeString(out.Payload.Data)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: the value is not in base64", at)
	}
	if sum := out.Payload.DataCrc32c; sum != 0 && sum != int64(crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli))) {
		return nil, fmt.Errorf("cannot read %s: the value is not the one that was stored: its sum is another one", at)
	}
	return value, nil
}

// labels are those of a secret, and its annotations. A property names one as External
// Secrets has it: labels.team.
func (p *Provider) labels(ctx context.Context, at place) (entry.Entry, error) {
	out, err := ask(ctx, p, "read the labels of "+at.String(), func(ctx context.Context) (*secretmanager.Secret, error) {
		return p.service.Projects.Secrets.Get(at.name()).Context(ctx).Do()
	})
	if err != nil {
		return entry.Entry{}, absent(err)
	}
	if out.Name == "" {
		return entry.Entry{}, fmt.Errorf("cannot read the labels of %s: the answer has no name", at)
	}
	object, err := json.Marshal(map[string]map[string]string{"labels": orEmpty(out.Labels), "annotations": orEmpty(out.Annotations)})
	if err != nil {
		return entry.Entry{}, fmt.Errorf("the labels of %s are no JSON", at)
	}
	return entry.Object(object), nil
}

func orEmpty(all map[string]string) map[string]string {
	if all == nil {
		return map[string]string{}
	}
	return all
}
