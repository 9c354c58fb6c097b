package pack

import (
	"encoding/binary"
	"slices"
	"strconv"

	flatbuffers "github.com/google/flatbuffers/go"
)

// This file writes the frame that makes a pack an Arrow file: the messages
// around the buffers and the footer, as flatbuffers. The tables, their fields
// by number, and the constants are those of Apache Arrow's format/Message.fbs,
// Schema.fbs and File.fbs. The library's own writer is not used because it must
// know a dictionary before the first row, and says nothing of where it puts the
// buffers; the tests read packs with the library's reader.

const (
	arrowMagic = "ARROW1"
	formatV5   = 4

	messageSchema, messageDictionary, messageBatch = 1, 2, 3

	typeInt, typeFloat, typeText, typeList, typeStruct = 2, 3, 5, 12, 13

	columnDictionary, valueDictionary = 0, 1 // ids of the dictionaries
)

// arrowMark is the key in the schema's metadata that tells a pack from other
// Arrow files. Its value is the version.
const arrowMark = "optcomplete.pack"

// arrowBlock is the place of a message in the file.
type arrowBlock struct {
	offset int64
	meta   int32
	body   int64
}

// node is a field's length and number of nulls in a batch.
type node struct{ length, nulls int64 }

// buffer is a buffer's place in the body of a batch.
type buffer struct{ offset, length int64 }

// field describes a field of the schema.
type field struct {
	name       string
	kind       byte // its type
	bits       int  // of an int or float
	signed     bool
	dictionary int // id, or -1
	codeBits   int // of the index into the dictionary
	nullable   bool
	children   []field
}

func (s shape) fields() []field {
	plain := func(name string, kind byte, bits int) field {
		return field{name: name, kind: kind, bits: bits, dictionary: -1}
	}
	ids := field{name: "column", kind: typeText, dictionary: columnDictionary, codeBits: 16}
	value := plain("value", typeFloat, 64)
	switch s.values {
	case Dictionary8, Dictionary16:
		value.dictionary, value.codeBits = valueDictionary, 8*s.values.Bytes()
	case Float32:
		value.bits = 32
	}
	entry := plain("item", typeStruct, 0)
	entries := plain("entries", typeList, 0)
	row := plain("row", typeText, 0)
	values := []field{value}
	if s.weighted {
		values = append(values, plain("weight", typeFloat, 64))
	}
	if !s.wide() {
		entry.children = append([]field{ids}, values...)
		entries.children = []field{entry}
		return []field{row, entries}
	}
	entry.children = append([]field{plain("low", typeInt, 16), plain("high", typeInt, 8)}, values...)
	entries.children = []field{entry}
	// All null: it is there for its dictionary, the ids of the columns.
	ids.codeBits, ids.signed, ids.nullable = 8, true, true
	return []field{row, ids, entries}
}

// batchParts are the nodes and buffers of a block, in Arrow's order.
func (s shape) batchParts(rows int, idBytes, entries int64) ([]node, []buffer) {
	l := s.block(rows, idBytes, entries)
	n := int64(rows)
	nodes := []node{{n, 0}}
	buffers := []buffer{{l.idOffset, 0}, {l.idOffset, 4 * (n + 1)}, {l.id, idBytes}}
	if s.wide() {
		nodes = append(nodes, node{n, n})
		buffers = append(buffers, buffer{l.nulls, (n + 7) / 8}, buffer{l.nullCode, n})
	}
	nodes = append(nodes, node{n, 0}, node{entries, 0}, node{entries, 0})
	buffers = append(buffers, buffer{l.start, 0}, buffer{l.start, 4 * (n + 1)}, buffer{l.low, 0},
		buffer{l.low, 0}, buffer{l.low, 2 * entries})
	if s.wide() {
		nodes = append(nodes, node{entries, 0})
		buffers = append(buffers, buffer{l.high, 0}, buffer{l.high, entries})
	}
	nodes = append(nodes, node{entries, 0})
	buffers = append(buffers, buffer{l.value, 0}, buffer{l.value, int64(s.values.Bytes()) * entries})
	if s.weighted {
		nodes = append(nodes, node{entries, 0})
		buffers = append(buffers, buffer{l.weight, 0}, buffer{l.weight, 8 * entries})
	}
	return nodes, buffers
}

// schemaTable adds the schema to b.
func (s shape) schemaTable(b *flatbuffers.Builder, metadata map[string]string) flatbuffers.UOffsetT {
	var fields, pairs []flatbuffers.UOffsetT
	for _, f := range s.fields() {
		fields = append(fields, f.table(b))
	}
	keys := make([]string, 0, len(metadata))
	for key := range metadata {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		pairs = append(pairs, pairTable(b, key, metadata[key]))
	}
	// A flatbuffer grows towards its front: made last, the mark stands near the
	// start of the file, where IsPack looks for it.
	pairs = append(pairs, pairTable(b, arrowMark, strconv.Itoa(int(s.version()))))
	fieldVector, pairVector := offsetVector(b, fields), offsetVector(b, pairs)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fieldVector, 0)
	b.PrependUOffsetTSlot(2, pairVector, 0)
	return b.EndObject()
}

func pairTable(b *flatbuffers.Builder, key, value string) flatbuffers.UOffsetT {
	v, k := b.CreateString(value), b.CreateString(key)
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, k, 0)
	b.PrependUOffsetTSlot(1, v, 0)
	return b.EndObject()
}

func offsetVector(b *flatbuffers.Builder, offsets []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(offsets), 4)
	for _, o := range slices.Backward(offsets) {
		b.PrependUOffsetT(o)
	}
	return b.EndVector(len(offsets))
}

func (f field) table(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	var children []flatbuffers.UOffsetT
	for _, c := range f.children {
		children = append(children, c.table(b))
	}
	childVector := offsetVector(b, children)
	name := b.CreateString(f.name)
	kind := typeTable(b, f.kind, f.bits, f.signed)
	var dictionary flatbuffers.UOffsetT
	if f.dictionary >= 0 {
		code := typeTable(b, typeInt, f.codeBits, f.signed)
		b.StartObject(4)
		b.PrependInt64Slot(0, int64(f.dictionary), 0)
		b.PrependUOffsetTSlot(1, code, 0)
		dictionary = b.EndObject()
	}
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependBoolSlot(1, f.nullable, false)
	b.PrependByteSlot(2, f.kind, 0)
	b.PrependUOffsetTSlot(3, kind, 0)
	b.PrependUOffsetTSlot(4, dictionary, 0)
	b.PrependUOffsetTSlot(5, childVector, 0)
	return b.EndObject()
}

func typeTable(b *flatbuffers.Builder, kind byte, bits int, signed bool) flatbuffers.UOffsetT {
	switch kind {
	case typeInt:
		b.StartObject(2)
		b.PrependInt32Slot(0, int32(bits), 0)
		b.PrependBoolSlot(1, signed, false)
	case typeFloat:
		b.StartObject(1)
		b.PrependInt16Slot(0, int16(bits/32), 0) // 1: single, 2: double
	default:
		b.StartObject(0)
	}
	return b.EndObject()
}

func batchTable(b *flatbuffers.Builder, length int64, nodes []node, buffers []buffer) flatbuffers.UOffsetT {
	b.StartVector(16, len(buffers), 8)
	for _, x := range slices.Backward(buffers) {
		b.Prep(8, 16)
		b.PrependInt64(x.length)
		b.PrependInt64(x.offset)
	}
	bufferVector := b.EndVector(len(buffers))
	b.StartVector(16, len(nodes), 8)
	for _, x := range slices.Backward(nodes) {
		b.Prep(8, 16)
		b.PrependInt64(x.nulls)
		b.PrependInt64(x.length)
	}
	nodeVector := b.EndVector(len(nodes))
	b.StartObject(5)
	b.PrependInt64Slot(0, length, 0)
	b.PrependUOffsetTSlot(1, nodeVector, 0)
	b.PrependUOffsetTSlot(2, bufferVector, 0)
	return b.EndObject()
}

// schemaMessage, batchMessage and dictionaryMessage are the messages that stand
// before a body of that many bytes.
func (s shape) schemaMessage(metadata map[string]string, at int64) []byte {
	b := flatbuffers.NewBuilder(1024)
	return message(b, messageSchema, s.schemaTable(b, metadata), 0, at)
}

func (s shape) batchMessage(rows int, idBytes, entries, at int64) []byte {
	b := flatbuffers.NewBuilder(1024)
	nodes, buffers := s.batchParts(rows, idBytes, entries)
	return message(b, messageBatch, batchTable(b, int64(rows), nodes, buffers), s.block(rows, idBytes, entries).end, at)
}

func dictionaryMessage(id int, length int64, buffers []buffer, body, at int64) []byte {
	b := flatbuffers.NewBuilder(1024)
	batch := batchTable(b, length, []node{{length, 0}}, buffers)
	b.StartObject(3)
	b.PrependInt64Slot(0, int64(id), 0)
	b.PrependUOffsetTSlot(1, batch, 0)
	return message(b, messageDictionary, b.EndObject(), body, at)
}

// message finishes a message that will stand at offset at, padded so that its
// body is aligned in the file.
func message(b *flatbuffers.Builder, kind byte, content flatbuffers.UOffsetT, body, at int64) []byte {
	b.StartObject(5)
	b.PrependInt64Slot(3, body, 0)
	b.PrependUOffsetTSlot(2, content, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependInt16Slot(0, formatV5, 0)
	b.Finish(b.EndObject())
	flat := b.FinishedBytes()
	length := padded(at+8+int64(len(flat))) - at
	out := make([]byte, 8, length)
	binary.LittleEndian.PutUint32(out, 0xffffffff)
	binary.LittleEndian.PutUint32(out[4:], uint32(length-8))
	return append(out, flat...)[:length]
}

// endOfStream closes the sequence of messages.
var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// footer is the end of an Arrow file: the schema again, where the messages are,
// and the magic.
func (s shape) footer(metadata map[string]string, dictionaries, batches []arrowBlock) []byte {
	b := flatbuffers.NewBuilder(1024 + 24*len(batches))
	vector := func(blocks []arrowBlock) flatbuffers.UOffsetT {
		b.StartVector(24, len(blocks), 8)
		for _, x := range slices.Backward(blocks) {
			b.Prep(8, 24)
			b.PrependInt64(x.body)
			b.Pad(4)
			b.PrependInt32(x.meta)
			b.PrependInt64(x.offset)
		}
		return b.EndVector(len(blocks))
	}
	batchVector, dictionaryVector := vector(batches), vector(dictionaries)
	schema := s.schemaTable(b, metadata)
	b.StartObject(5)
	b.PrependInt16Slot(0, formatV5, 0)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(2, dictionaryVector, 0)
	b.PrependUOffsetTSlot(3, batchVector, 0)
	b.Finish(b.EndObject())
	out := slices.Clone(b.FinishedBytes())
	out = binary.LittleEndian.AppendUint32(out, uint32(len(out)))
	return append(out, arrowMagic...)
}
