// Package pushsecret writes to stores what PushSecrets name, in one cluster.
//
// Values are read of the Secret, or made by a generator, when they are due, and kept
// nowhere. What is in a store already is not written again. What was written is noted in
// the status, without values: a PushSecret takes nothing out of a store but that.
package pushsecret
