import { expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { modelPictures } from '../../reports/page/model-pictures.js'
import { modelPictures as drawAnew, picturesFile } from '../../scripts/model-pictures.js'

test('the pictures of the model are those that the model gives', async () => {
  await expect(picturesFile(await drawAnew())).toMatchFileSnapshot('../../reports/page/model-pictures.ts')
})

test('every operation is in a picture', () => {
  const drawn = modelPictures.flatMap(({ nodes, edges, others }) => [
    ...[...nodes, ...edges].flatMap((one) => one.operations),
    ...others,
  ])
  expect(operations.map(({ id }) => id).filter((id) => !drawn.includes(id))).toEqual([])
})

test.each([
  ['volumes', 'active', 'volumes.attach'],
  ['firewalls', 'disabled', 'firewalls.update'],
])('a picture of %s shows that in the state %s there may be %s', (name, state, operation) => {
  const picture = modelPictures.find((one) => one.name === name)
  expect(picture?.nodes.find((node) => node.name === state)?.operations).toContain(operation)
})
