package v1alpha1

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// count reads a number or a text as an API server takes them: a number that is too large
// for Kubernetes' own type stays as its text. See Time for why.
func count(b []byte) intstr.IntOrString {
	var out intstr.IntOrString
	if len(b) > 0 && json.Unmarshal(b, &out) != nil {
		return intstr.FromString(string(b))
	}
	return out
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *KustomizeReplica) UnmarshalJSON(b []byte) error {
	var read struct {
		Name  string          `json:"name"`
		Count json.RawMessage `json:"count"`
	}
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	r.Name, r.Count = read.Name, count(read.Count)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *ApplicationSetRolloutStep) UnmarshalJSON(b []byte) error {
	var read struct {
		MatchExpressions []ApplicationMatchExpression `json:"matchExpressions"`
		MaxUpdate        json.RawMessage              `json:"maxUpdate"`
	}
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	s.MatchExpressions, s.MaxUpdate = read.MatchExpressions, nil
	if len(read.MaxUpdate) > 0 && string(read.MaxUpdate) != "null" {
		most := count(read.MaxUpdate)
		s.MaxUpdate = &most
	}
	return nil
}
