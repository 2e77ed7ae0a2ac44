// Package rights says what somebody may do, by Argo CD's policy and by
// Kubernetes'. It reads neither itself: who follows the policy hands it over,
// and package reach asks.
package rights
