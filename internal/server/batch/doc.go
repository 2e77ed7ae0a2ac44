// Package batch does one thing with many Applications while nobody waits: a
// few at a time, told of while it goes on, and kept for a while after, for who
// began it alone. What is done, and who may, others know. Batches are in memory:
// they end with the process.
package batch
