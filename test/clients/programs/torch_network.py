"""PyTorch on CPUs: products, convolutions, sorting, sums in threads of OpenMP, and a small network that learns."""

import os

import torch

torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
torch.manual_seed(1)


def say(name, values):
    print(name, " ".join(f"{float(x):.9g}" for x in values))


a = torch.rand(600, 400, dtype=torch.float64)
say("product", (a @ a.T).sum(dim=1)[:4])
say("functions", [torch.exp(a).sum(), torch.softmax(a, dim=1)[5, 7], torch.cumsum(a, dim=0)[-1, 3]])
say("sorted", torch.sort(torch.rand(300000, dtype=torch.float64)).values[::60000])
say("convolution", [torch.nn.functional.conv2d(torch.rand(4, 3, 64, 64, dtype=torch.float64), torch.rand(8, 3, 5, 5, dtype=torch.float64)).sum()])

x = torch.rand(2000, 10, dtype=torch.float64)
y = (x[:, :1] * x[:, 1:2] + torch.sin(3 * x[:, 2:3]))
model = torch.nn.Sequential(torch.nn.Linear(10, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)).double()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(40):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
say("loss", [loss])
