# asyncio
import asyncio
async def work(n):
    await asyncio.sleep(0.01 * n)
    if n == 2:
        raise RuntimeError("two")
    return n
async def main():
    print(await asyncio.gather(work(1), work(0)))
    print(await asyncio.gather(work(2), return_exceptions=True))
    async with asyncio.TaskGroup() as group:
        group.create_task(work(2))
asyncio.run(main())
